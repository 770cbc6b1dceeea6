// Prints commands in the notation of engine tests, which notation.ts parses: in words where they say all, as JSON otherwise. Used
// for shrunk counter-examples, which are pasted as named tests, and for the scenarios of the simulation. A printed line always
// parses back to the very command: a field that got lost would turn a failing scenario into one that passes.
import type { Command, CommandOf } from '../../engine/protocol/index.ts';
import {
  ExchangeMode,
  MarketStatus,
  notificationNumber,
  OrderFlag,
  OrderType,
  RULES_VERSION,
  Side,
} from '../../engine/protocol/index.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { keyNameOf, labelOf, nameOf } from './names.ts';
import { type Moment, maskOf, readCommand, resolutions, tokens } from './notation.ts';

export function printDecimal(value: number, digits: number): string {
  const text = String(value).padStart(digits + 1, '0');
  const part = text.slice(-digits).replace(/0+$/, '');
  return `${text.slice(0, -digits)}${part === '' ? '' : `.${part}`}`;
}

export function nameIn(table: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(table).find(([, number]) => number === value)?.[0] ?? String(value);
}

export function printTerms(terms: typeof PLAIN_TERMS, mask: number): string {
  const shown: readonly (readonly [string, string])[] = [
    ['tick', printDecimal(terms.tickPips, 4)],
    ['min', printDecimal(terms.minOrderLots, 2)],
    ['buy-min', printDecimal(terms.minMarketableBuyMicro, 6)],
    ['fee', `${terms.feeRate}/${terms.feeExponent}`],
    ['delay', String(terms.delaySeconds)],
    ['auto-tick', String(terms.autoTick)],
    ['status', nameIn(MarketStatus, terms.status)],
  ];
  return shown.map(([name, value]) => ((mask & maskOf[name]) === 0 ? '' : ` ${name} ${value}`)).join('');
}

/** The line of a command at its time: in words where they express it fully, as JSON otherwise. */
export function printCommand(command: Command, at: Moment): string {
  const words = inWords(command, at);
  return words !== undefined && isReadBack(words, command, at) ? words : printJson(command);
}

/** JSON has no bytes: a tail becomes a text with one character a byte, which leaves most tails readable. */
function printJson(command: Command): string {
  const { tail } = command;
  return JSON.stringify(tail === undefined ? command : { ...command, tail: Buffer.from(tail).toString('latin1') });
}

/** Whether a line parses to this very command. */
function isReadBack(words: string, command: Command, at: Moment): boolean {
  try {
    return isSame(readCommand(words, at), command);
  } catch {
    return false; // it has a name that the notation does not know
  }
}

/** Whether two commands hold the same values. */
function isSame(x: object, y: object): boolean {
  const [one, other] = [x, y].map((object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(one) === JSON.stringify(other);
}

function inWords(command: Command, at: Moment): string | undefined {
  switch (command.type) {
    case 'Tick':
      return 'time passes';
    case 'Started': {
      const { rulesVersion, orderWindowMs, heartbeatWindowMs, minedDelayMs, confirmedDelayMs, creditMicro } = command;
      const rules = rulesVersion === RULES_VERSION ? '' : ` rules ${rulesVersion}`;
      const delays = `mined ${minedDelayMs} confirmed ${confirmedDelayMs}`;
      return `started${rules} window ${orderWindowMs} heartbeat ${heartbeatWindowMs} ${delays} credit ${printDecimal(creditMicro, 6)}`;
    }
    case 'PlaceOrder':
      return orderInWords(command, at);
    case 'CancelOrders':
      return `${by(command)} cancels${command.items?.map((id) => ` #${labelOf(id)}`).join('')}${keyPart(command)}`;
    case 'CancelAll':
      return `${by(command)} cancels all${keyPart(command)}`;
    case 'CancelMarket': {
      const token = command.outcome === 2 ? '' : ` ${nameIn(tokens, command.outcome)}`;
      return `${by(command)} cancels m${command.marketIndex}${token}${keyPart(command)}`;
    }
    case 'Heartbeat': {
      const given = labelOf(command.given) === 0 ? '' : ` given ${labelOf(command.given)}`;
      const again = command.refresh === 1 ? ' again' : '';
      return `${by(command)} beats${again}${given} next ${labelOf(command.next)}${keyPart(command)}`;
    }
    case 'CreateMarket':
      return marketInWords(command, at);
    case 'UpdateMarket': {
      const beside = printTerms(command, unusualTerms(command) & ~command.mask) + riskPart(command);
      return `m${command.marketIndex} changes${printTerms(command, command.mask)}${beside === '' ? '' : ` beside${beside}`}`;
    }
    case 'ResolveMarket':
      return `m${command.marketIndex} resolves ${nameIn(resolutions, command.resolution)}`;
    default:
      return moneyInWords(command);
  }
}

function marketInWords(command: CommandOf<'CreateMarket'>, { nextMarket }: Moment): string {
  const number = Number.parseInt(command.conditionId.slice(-8), 16);
  const event = command.eventNumber === 0 ? '' : ` of event ${command.eventNumber}`;
  return `market${number === nextMarket ? '' : ` ${number}`}${event}${printTerms(command, 127)}${riskPart(command)}`;
}

const riskPart = ({ negRisk }: { readonly negRisk: number }): string => (negRisk === 1 ? ' neg-risk 1' : '');

/** The mask of the terms that differ from the plain ones. */
const unusualTerms = (terms: typeof PLAIN_TERMS): number =>
  Object.values(maskOf)
    .filter((bit) => printTerms(terms, bit) !== printTerms(PLAIN_TERMS, bit))
    .reduce((mask, bit) => mask | bit, 0);

function moneyInWords(command: Command): string | undefined {
  switch (command.type) {
    case 'Deposit': {
      const verb = command.isFaucet === 1 ? 'faucets' : 'deposits';
      return `${by(command)} ${verb} ${printDecimal(command.amountMicro, 6)}${fromPart(command, command.wallet)}`;
    }
    case 'Withdraw':
      return `${by(command)} withdraws ${printDecimal(command.amountMicro, 6)}${fromPart(command, command.wallet)}`;
    case 'FaucetShares': {
      const amount = `${printDecimal(command.amountMicro, 6)} ${nameIn(tokens, command.outcome)}`;
      return `${by(command)} gets ${amount}${inPart(command)}${fromPart(command, command.wallet)}`;
    }
    case 'Split':
    case 'Merge': {
      const verb = command.type === 'Split' ? 'splits' : 'merges';
      const amount = printDecimal(command.amountMicro, 6);
      return `${by(command)} ${verb} ${amount}${holderPart(command)}`;
    }
    case 'Redeem':
      return `${by(command)} redeems${holderPart(command)}`;
    case 'SetExchangeMode':
      return `mode ${nameIn(ExchangeMode, command.mode)}`;
    case 'SetAccountFlags':
      return `${by(command)} flags ${command.mask} ${command.flags}`;
    case 'CreditOwner':
      return `${by(command)} is credited${command.items?.map((wallet) => ` ${nameOf(wallet)}`).join('')}`;
    case 'CreateApiKey': {
      const wallets = command.items?.map((wallet) => ` ${nameOf(wallet)}`).join('') ?? '';
      const crediting = wallets === '' ? '' : ` crediting${wallets}`;
      const nonce = command.nonce === 0 ? '' : ` nonce ${command.nonce}`;
      const generation = command.generation === 0 ? '' : ` generation ${command.generation}`;
      return `${by(command)} creates ${keyNameOf(command.keyId)} kind ${command.kind}${nonce}${generation}${crediting}`;
    }
    case 'CreateEvent':
      return `an event is created${command.negRisk === 1 ? ' neg-risk' : ''}`;
    case 'DeleteApiKey':
      return `${by(command)} deletes ${keyNameOf(command.keyId)}`;
    case 'BindWallet':
      return `${by(command)} binds ${nameOf(command.wallet)}${command.signatureType === 0 ? '' : ` type ${command.signatureType}`}`;
    case 'DropNotifications': {
      const numbers = command.items?.map((item) => ` ${notificationNumber(item)}`).join('');
      return `${by(command)} drops${numbers}${keyPart(command)}`;
    }
    default:
      return undefined;
  }
}

const by = (command: { readonly owner: string }): string => nameOf(command.owner);
const inPart = ({ marketIndex }: { readonly marketIndex: number }): string =>
  marketIndex === 0 ? '' : ` in m${marketIndex}`;
const fromPart = (command: { readonly owner: string }, wallet: string): string =>
  wallet === command.owner ? '' : ` from ${nameOf(wallet)}`;
const keyPart = (command: { readonly owner: string; readonly keyId: string }): string =>
  keyNameOf(command.keyId) === `${by(command)}:0` ? '' : ` key ${keyNameOf(command.keyId)}`;
const boundPart = (flags: number): string => ((flags & OrderFlag.BOUND_WALLET) === 0 ? '' : ' bound');
const holderPart = (command: CommandOf<'Split' | 'Merge' | 'Redeem'>): string =>
  `${boundPart(command.flags)}${inPart(command)}${fromPart(command, command.wallet)}${keyPart(command)}`;

function orderInWords(command: CommandOf<'PlaceOrder'>, { tMs }: Moment): string {
  const { makerAmountMicro, takerAmountMicro, flags, timestampMs, expirationS } = command;
  const isBuy = command.side === Side.BUY;
  const [money, shares] = isBuy ? [makerAmountMicro, takerAmountMicro] : [takerAmountMicro, makerAmountMicro];
  const pips = shares === 0 ? 0n : (BigInt(money) * 10_000n) / BigInt(shares);
  const isExact = pips > 0n && pips * BigInt(shares) === BigInt(money) * 10_000n;
  const token = nameIn(tokens, command.outcome);
  const asked = isExact
    ? `${printDecimal(shares, 6)} ${token} @ ${printDecimal(Number(pips), 4)}`
    : `raw ${makerAmountMicro}:${takerAmountMicro} ${token}`;
  const inS = expirationS - Math.floor(tMs / 1000);
  const parts = [
    `#${labelOf(command.orderId)} ${by(command)} ${isBuy ? 'buys' : 'sells'} ${asked} ${nameIn(OrderType, command.orderType)}`,
    (flags & OrderFlag.POST_ONLY) === 0 ? '' : ' post-only',
    boundPart(flags),
    (flags & OrderFlag.CLIENT_ACCURACY) === 0 ? '' : ' accurate',
    inPart(command),
    fromPart(command, command.maker),
    keyPart(command),
    expirationS === 0 ? '' : ` expires ${inS < 0 ? `@${expirationS}` : `+${inS}`}s`,
    timestampMs === tMs ? '' : ` signed ${timestampMs < tMs ? '' : '+'}${timestampMs - tMs}ms`,
  ];
  return parts.join('');
}
