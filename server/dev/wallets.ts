// The ten funded wallets of development, each with its four derived wallets, and the credit that funds them. Called at first
// start, by the banner and by createExchange.ts. Their keys are public: nothing here may ever run in production.
import { encodeCommand } from '../../engine/index.ts';
import { developmentWallet, type KeyPair } from '../auth/mnemonic.ts';
import type { DerivedWallets, WalletDeriver } from '../auth/wallets.ts';
import { walletsOfOwner } from '../commands/ownerWallets.ts';

const DEVELOPMENT_WALLET_COUNT = 10;

export interface DevelopmentWallet extends KeyPair {
  readonly index: number;
  readonly derived: DerivedWallets;
}

/** The printed wallets, by index of the development mnemonic. */
export function developmentWallets(deriver: WalletDeriver): readonly DevelopmentWallet[] {
  return Array.from({ length: DEVELOPMENT_WALLET_COUNT }, (_, index) => {
    const { address, privateKey } = developmentWallet(index);
    return { index, address, privateKey, derived: deriver.derivedWallets(address) };
  });
}

/** The command that credits an owner's wallets, as its first API key would. */
export function creditCommand(owner: string, deriver: WalletDeriver): Uint8Array {
  return encodeCommand({ type: 'CreditOwner', owner, items: walletsOfOwner(owner, deriver) });
}
