// For which chain a journal's orders were signed: a start looks at the latest order among the last 1,000 records, under the
// contract of that order's market. keys.test.ts has the warning in the log of a whole start.
import { expect, test } from 'vitest';
import { encodeCommand, Side } from '../../engine/index.ts';
import { chainContracts } from '../../server/auth/contracts.ts';
import { bytesToHex, ZERO_BYTES32 } from '../../server/auth/hex.ts';
import { orderHasher, type SignableOrder, SignatureType } from '../../server/auth/orderDigest.ts';
import { warnOfOtherContracts } from '../../server/dataDirectory/signedFor.ts';
import { makeLogger } from '../../server/process/log.ts';
import { orderTailText } from '../../server/views/storedOrders.ts';
import { ADMIN, send } from '../support/client.ts';
import { startTestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';

const MAKER = `0x${'11'.repeat(20)}`;
const tick = encodeCommand({ type: 'Tick' });

/** An order whose id is the digest of what was signed for a chain; whether the exchange accepts it does not matter here. */
function orderFor(
  chainId: number,
  { marketIndex, negRisk }: { readonly marketIndex: number; readonly negRisk: boolean },
) {
  const order: SignableOrder = {
    ...{ salt: '7', maker: MAKER, signer: MAKER, tokenId: '1', makerAmount: 500_000, takerAmount: 1_000_000 },
    ...{ side: Side.BUY, signatureType: SignatureType.EOA, timestamp: 1_000 },
    ...{ metadata: ZERO_BYTES32, builder: ZERO_BYTES32 },
  };
  const orderId = bytesToHex(orderHasher(chainContracts(chainId)).digest(order, negRisk));
  return encodeCommand({
    ...{ type: 'PlaceOrder', orderId, keyId: `0x${'00'.repeat(16)}`, maker: MAKER, owner: MAKER, marketIndex },
    ...{ outcome: 0, side: Side.BUY, orderType: 0, flags: 0, makerAmountMicro: 500_000, takerAmountMicro: 1_000_000 },
    ...{ timestampMs: 1_000, expirationS: 0, tail: Buffer.from(orderTailText({ ...order, signature: '0x' })) },
  });
}

test('a start on another chain than that of the latest order warns, unless that order is 1,000 records back', async () => {
  const server = await startTestServer({ config: { dataDir: tempDir() } });
  const { exchange, services } = server;
  const lines: string[] = [];
  const write = (bytes: Uint8Array): number => lines.push(Buffer.from(bytes).toString()) && bytes.length;
  const log = makeLogger({ mode: 'production', isJson: true, logLevel: 'debug' }, write);
  /** What a start for a chain says of the journal as it is. */
  const said = async (chainId: number): Promise<string | undefined> => {
    lines.length = 0;
    const config = { ...services.config, contracts: chainContracts(chainId) };
    await warnOfOtherContracts({ ...services, config, log });
    return /signed for (.*), but this exchange uses (chain \d+) /.exec(lines.join(''))?.slice(1).join(', not ');
  };
  expect(await said(80_002)).toBeUndefined(); // no order yet
  for (const [marketIndex, negRisk] of [false, true].entries()) {
    const terms = { question: `Neg-risk: ${negRisk}?`, neg_risk: negRisk };
    expect((await send(server.url, 'POST', '/admin/markets', terms, ADMIN)).status).toBe(200);
    for (const [signedFor, other] of [
      [137, 80_002],
      [80_002, 137],
    ] as const) {
      await exchange.submit(orderFor(signedFor, { marketIndex, negRisk }));
      expect(await said(signedFor)).toBeUndefined();
      expect(await said(other)).toBe(`chain ${signedFor}, not chain ${other}`);
    }
  }
  await exchange.submit(orderFor(137, { marketIndex: 0, negRisk: true })); // for the other contract
  expect(await said(137)).toBe('another chain or other contracts, not chain 137');
  await Promise.all(Array.from({ length: 999 }, () => exchange.submit(tick)));
  expect(await said(137)).toBe('another chain or other contracts, not chain 137');
  await exchange.submit(tick);
  expect(await said(137)).toBeUndefined();
  await server.close();
});
