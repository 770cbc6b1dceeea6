// Events in words, for the expectations of scenarios and for reports of a disagreement. Used with notation.ts; it reads
// nothing but the event.
import type { EngineEvent } from '../../engine/protocol/index.ts';
import {
  CancelReason,
  CashKind,
  ExchangeMode,
  FillKind,
  rejectionName,
  rejections,
  TradeStatus,
} from '../../engine/protocol/index.ts';
import { keyNameOf, labelOf, nameOf, TIME_ZERO_MS } from './names.ts';
import { resolutions, tokens } from './notation.ts';
import { nameIn, printDecimal, printTerms } from './printing.ts';

const shares = (lots: number): string => printDecimal(lots, 2);
const price = (pips: number): string => printDecimal(pips, 4);
const money = (micro: number): string => printDecimal(micro, 6);

/** One event in words; `labelOfNumber` names orders by the label of their id. */
export function describeEvent(event: EngineEvent, labelOfNumber: (orderNumber: number) => string): string {
  switch (event.type) {
    case 'Rejected': {
      const name = rejectionName(event.code);
      const figures = [event.a, event.b, event.c].slice(0, rejections[name].figures.length);
      return ['refused', name, ...figures].join(' ');
    }
    case 'OrderAccepted':
      return `accepted ${shares(event.originalLots)} @ ${price(event.pricePips)}`;
    case 'OrderKilled':
      return `killed ${rejectionName(event.code)} ${shares(event.a)}`;
    case 'OrderRested':
      return `rests ${shares(event.lots)}`;
    case 'OrderDelayed':
      return `delayed until +${event.releaseAtMs - TIME_ZERO_MS}ms`;
    case 'OrderReleased':
      return `releases ${labelOfNumber(event.orderNumber)}`;
    case 'OrderFilled':
      return 'filled';
    case 'OrderCanceled': {
      const reason = nameIn(CancelReason, event.reason);
      return `cancels ${labelOfNumber(event.orderNumber)} ${reason} ${shares(event.lots)}`;
    }
    case 'Fill': {
      const maker = `${labelOfNumber(event.makerOrderNumber)} @ ${price(event.pricePips)}`;
      return `takes ${shares(event.lots)} of ${maker} ${nameIn(FillKind, event.kind)} leaving ${shares(event.remainingLots)}`;
    }
    case 'Trade':
      return `trades ${shares(event.lots)} @ ${price(event.pricePips)} fee ${money(event.feeMicro)}`;
    case 'TradeStatusChanged':
      return `status ${nameIn(TradeStatus, event.status)} m${event.marketIndex} ${event.tradeNumber}`;
    case 'MarketUpdated':
      return `updates m${event.marketIndex}${printTerms(event, 127)}`;
    case 'MarketResolved':
      return `resolves m${event.marketIndex} ${nameIn(resolutions, event.resolution)}`;
    case 'CollateralChanged':
      return `${nameIn(CashKind, event.kind)} ${money(event.amountMicro)}`;
    default:
      return describeRest(event);
  }
}

function describeRest(event: EngineEvent): string {
  switch (event.type) {
    case 'AccountOpened':
      return `opens ${nameOf(event.wallet)}`;
    case 'CancelRefused':
      return `keeps #${labelOf(event.orderId)} ${event.reason === 1 ? 'DELAYED' : 'NOT_FOUND'}`;
    case 'SharesCredited':
      return `credits ${money(event.amountMicro)} ${nameIn(tokens, event.outcome)}`;
    case 'PositionSplit':
      return `splits ${money(event.amountMicro)}`;
    case 'PositionMerged':
      return `merges ${money(event.amountMicro)}`;
    case 'PositionRedeemed':
      return `pays ${money(event.payoutMicro)} dust ${money(event.dustMicro)}`;
    case 'ExchangeModeChanged':
      return `mode ${nameIn(ExchangeMode, event.mode)}`;
    case 'AccountFlagsChanged':
      return `flags ${event.flags}`;
    case 'HeartbeatAccepted':
      return `beats ${keyNameOf(event.keyId)} next ${labelOf(event.next)} until +${event.deadlineMs - TIME_ZERO_MS}ms`;
    case 'HeartbeatRefused':
      return `expects ${keyNameOf(event.keyId)} ${labelOf(event.expected)}`;
    case 'HeartbeatLapsed':
      return `lapses ${keyNameOf(event.keyId)}`;
    case 'MarketCreated':
      return `creates m${event.marketIndex}`;
    default:
      return JSON.stringify(event);
  }
}
