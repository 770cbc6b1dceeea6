// Published vectors of the venue's protocol as constants: orders signed by other clients, the L1 statement, the HMAC and
// the derived wallets. Used by the tests of this folder. The key is account 0 of the public development mnemonic.
import type { SignableOrder } from '../../server/auth/orderDigest.ts';

export const KEY_0 = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const ADDRESS_0 = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const ADDRESS_1 = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

export const EXCHANGE = '0xE111180000d2663C0091e4f400237545B87B996B';
export const NEG_RISK_EXCHANGE = '0xe2222d279d744050d28e00520010520000310F59';

/** The end of every type 3 signature: the order's type string in hex and its length. */
const TYPE_STRING_TAIL =
  '4f726465722875696e743235362073616c742c61646472657373206d616b65722c61646472657373207369676e65722c7569' +
  '6e7432353620746f6b656e49642c75696e74323536206d616b6572416d6f756e742c75696e743235362074616b6572416d6f' +
  '756e742c75696e743820736964652c75696e7438207369676e6174757265547970652c75696e743235362074696d65737461' +
  '6d702c62797465733332206d657461646174612c62797465733332206275696c64657229' +
  '00ba';

const ZERO = '0x0000000000000000000000000000000000000000000000000000000000000000';
const TOKEN_ID = '71321045679252212594626385532706912750332728571942532289631379312455583992563';

type OrderVector = {
  readonly name: string;
  readonly chainId: number;
  readonly negRisk: boolean;
  readonly order: SignableOrder;
  /** undefined where the source published none. */
  readonly digest?: string;
  readonly signature: string;
  /** The address whose key signed, in lower case. */
  readonly signer: string;
  /** False where the key was not published. */
  readonly signedByKey0: boolean;
};

const ORDER: SignableOrder = {
  salt: '123456789',
  maker: ADDRESS_0,
  signer: ADDRESS_0,
  tokenId: TOKEN_ID,
  makerAmount: 100000000,
  takerAmount: 50000000,
  side: 0,
  signatureType: 0,
  timestamp: 1713398400000,
  metadata: ZERO,
  builder: ZERO,
};
const BY_KEY_0 = { chainId: 137, negRisk: false, signer: ADDRESS_0.toLowerCase(), signedByKey0: true };

/** Made by py-clob-client-v2 (via nautilus_trader's tests), by its own tests, and by ccxt's. */
export const ORDERS_V2: readonly OrderVector[] = [
  {
    ...BY_KEY_0,
    name: 'v2 buy EOA standard',
    order: { ...ORDER },
    digest: '0x32961c48ddac87ed3582f8e02097cd0eff4fcf80460306bd44b3710438dfa64c',
    signature:
      '0x89f178136333c8ebb32a19146cb891233e3202d474be6ef730c24dbc06ae4d2a0c99948a86d9b57de0f2c0bb8ec6964aa244ecf17cfa3a95b86878d0b64ad78a1b',
  },
  {
    ...BY_KEY_0,
    name: 'v2 sell EOA neg-risk',
    negRisk: true,
    order: { ...ORDER, salt: '987654321', makerAmount: 50000000, takerAmount: 100000000, side: 1 },
    digest: '0x8b878404bd92dea2bfea9975c9fcd816ec70a57ae431cb20d67bb773744aaef3',
    signature:
      '0xf7d60d64364e2615b08d9f69f3ea9afd3b4f83ecfbf05ddd3ca83f4916277fb97d2d080758d17c8e91c928aceb8ff252477ebaec051b672832500f63b4d36b061c',
  },
  {
    ...BY_KEY_0,
    name: 'v2 buy EOA with builder code',
    order: {
      ...ORDER,
      salt: '1',
      timestamp: 1713398500000,
      builder: '0x0000000000000000000000000000000000000000000000000000000000000001',
    },
    digest: '0x3df0b6f6ddfca837bc36964cae968b34ad35640b5d98f557c104da97e804e36a',
    signature:
      '0xf4d2b34659e8bc07a9572d40ee5a1639a1157409613b4c21566b1f33fd8fe11a364b3f306668cae7248ca7cdf72378f9266bc5628585aa939644400030671e081c',
  },
  {
    ...BY_KEY_0,
    name: 'v2 buy signatureType 1 (proxy)',
    order: { ...ORDER, salt: '111111111', signatureType: 1 },
    digest: '0x8f88fe2fb3448f4b8ba639992029f0a47a01a14d15b5f2bf9833516571efd279',
    signature:
      '0x71a63c85b730cc934688f23ea6374afffef57a61690eba63dcb97a706c8a8d0f3d2a8e0280f3e252eb83be088ebae6b461a8eda18e559e079f59050b90057afa1c',
  },
  {
    ...BY_KEY_0,
    name: 'v2 sell signatureType 2 (safe) neg-risk',
    negRisk: true,
    order: { ...ORDER, salt: '222222222', makerAmount: 50000000, takerAmount: 100000000, side: 1, signatureType: 2 },
    digest: '0xb34248702810a1d76580234a33f942a9801c3680de54cb3ef104572a8d482190',
    signature:
      '0xab9d33aee8b578fe5588c4a4b16bbef6fa05fc757020f95b98212e877a919e360a90296f02e97ecbabf3c200271ffe88eb9fd86912e8376cd27237bdad5f3abc1c',
  },
  {
    ...BY_KEY_0,
    name: 'v2 POLY_1271 standard',
    order: {
      ...ORDER,
      salt: '333333333',
      maker: '0x1111111111111111111111111111111111111111',
      signer: '0x1111111111111111111111111111111111111111',
      signatureType: 3,
    },
    digest: '0x48cfd4c03dcee72230750e2dc5ea71048e91244c2a9fec2ed6ef790a74869596',
    signature:
      '0x780beffb568c4510b8a135a92ca8071f124cf368fb0e902fe451c5f51e5557910a2a87968caa08a242de85e83c27375fc09242e897aa77680f56622a54e6e7c61c' +
      '3264e159346253e26a64e00b69032db0e7d32f94628de3e6eecb50304d7af3d2d3db4f9eed41f0490532a9460395d96602c6534a931bde4f0e3aad571e4f84a0' +
      TYPE_STRING_TAIL,
  },
  {
    ...BY_KEY_0,
    name: 'v2 POLY_1271 neg-risk',
    negRisk: true,
    order: {
      ...ORDER,
      salt: '333333333',
      maker: '0x1111111111111111111111111111111111111111',
      signer: '0x1111111111111111111111111111111111111111',
      signatureType: 3,
    },
    digest: '0x82b94b9d570fdd7b07f517ea848606a9b74029f2387fbf07d8b9c856d652e608',
    signature:
      '0xa411986b67c58113f8787ee54c41def9376d57ef4262b56438438710720604b700137e0175d7ae6afc40c2988179ad84b1b71a739f0974c8df3c12372f31b22c1c' +
      '9b858f53327b0bd13af8ec14cfb35234fb9eb7b0504d1a4e61f433840d30e81ad3db4f9eed41f0490532a9460395d96602c6534a931bde4f0e3aad571e4f84a0' +
      TYPE_STRING_TAIL,
  },
  {
    ...BY_KEY_0,
    name: 'v2 POLY_1271 Amoy',
    chainId: 80002,
    order: {
      ...ORDER,
      salt: '479249096354',
      maker: '0x1111111111111111111111111111111111111111',
      signer: '0x1111111111111111111111111111111111111111',
      tokenId: '1234',
      signatureType: 3,
      timestamp: 1710000000000,
    },
    signature:
      '0xa3a093c83b6c20c83355c16ce94c92e6e9fcbdeb840618cc74f6c57a42ad145b2b98db73d2c73cbf1f2b6af288566ae81960ddbc3a13921027358a8bff3be6ff1c' +
      'a440cbd865bc0c6243d7a8df9a8bf48a8827b0a4abbb61c30e96d305423af148d23d42d3ad94e65d78258cecaf8dcbaddac0f73dc085040f2c12bb595dd83804' +
      TYPE_STRING_TAIL,
  },
  {
    ...BY_KEY_0,
    name: 'v2 POLY_1271 ccxt createOrder',
    order: {
      ...ORDER,
      salt: '1700000000000',
      maker: '0xcdcE79F820BE9d6C5033db5c31d1AE3A8c2399bB',
      signer: '0xcdcE79F820BE9d6C5033db5c31d1AE3A8c2399bB',
      tokenId: '16040015440196279900485035793550429453516625694844857319147506590755961451627',
      makerAmount: 2500000,
      takerAmount: 5000000,
      signatureType: 3,
      timestamp: 1700000000000,
    },
    signature:
      '0x9670f962d8b0ec00df13475a30f90c8b934822b5768060d3005246ff5ae33abc5125dce72f48eb87e4a90c19a8a26b29c9356701e8f376e88c227685fb8960151b' +
      '3264e159346253e26a64e00b69032db0e7d32f94628de3e6eecb50304d7af3d277482bb1c562bc643e7ad92f879dac1c41dff3ccb89395b995d8da8e7bcc9230' +
      TYPE_STRING_TAIL,
    signer: '0xb67f9a782d3678a0bac50c22eacbb4924fe9d4cf',
    signedByKey0: false,
  },
];

/** A V1 order of Amoy: its signature must not fit the V2 order with the same fields. */
export const ORDER_V1 = {
  chainId: 80002,
  asV2: { ...ORDER, salt: '479249096354', tokenId: '1234', timestamp: 1710000000000 },
  signatures: [
    '0x302cd9abd0b5fcaa202a344437ec0b6660da984e24ae9ad915a592a90facf5a51bb8a873cd8d270f070217fea1986531d5eec66f1162a81f66e026db653bf7ce1c',
    '0x1b3646ef347e5bd144c65bd3357ba19c12c12abaeedae733cf8579bc51a2752c0454c3bc6b236957e393637982c769b8dc0706c0f5c399983d933850afd1cbcd1c',
  ],
};

export const CLOB_AUTH = {
  chainId: 80002,
  address: ADDRESS_0,
  timestamp: '10000000',
  nonce: '23',
  digest: '0x8f442df8073c9cf2e36d7b20ca9d64d1a9352e982cc82a293b7de2df57920610',
  signature:
    '0xf62319a987514da40e57e2f4d7529f7bac38f0355bd88bb5adbb3768d80de6c1682518e0af677d5260366425f4361e7b70c25ae232aff0ab2331e2b164a1aedc1b',
};

export const HMAC = {
  secret: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  timestamp: '1000000',
  method: 'test-sign',
  path: '/orders',
  body: '{"hash": "0x123"}',
  signature: 'ZwAdJKvoYRlEKDkNMwd5BuwNNtg93kNaR_oU2HrfVvc=',
};

export const WALLETS = [
  {
    eoa: ADDRESS_0,
    proxy: '0x365f0cA36ae1F641E02Fe3b7743673DA42A13a70',
    safe: '0xd93b25Cb943D14d0d34FBAf01fc93a0F8b5f6e47',
    depositBeacon: '0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50',
    depositUups: '0xdf8b9E8f9AB23f261F6e1B171B7454ae6E46Ba76',
  },
  {
    eoa: ADDRESS_1,
    proxy: '0xd9d24e482c11F586cd9A1a53dC3eEc6dE3883862',
    safe: '0x8ac5D4Bd2752AFc9F5CA531f19D617647216B893',
    depositBeacon: '0x4Fe2CC4925607a473264FA89e7138075695A5f8e',
    depositUups: '0x5F4f45aBd6e86C60B3Df2a4aF103f85256A2Ce6d',
  },
];

export const USDC = '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174';
export const WRAPPED_USDC = '0x3A3BD7bb9528E159577F7C2e685CC81A765002E2';

/** Conditions of the live venue with their token ids, and the oracle's question where it is known. */
export const CONDITIONS = [
  {
    collateral: USDC,
    conditionId: '0x8ccc3f4951ff02c1d34b87988752b4444ad17228732780a6cf22afefe8478bb6',
    oracle: '0x65070BE91477460D8A7AeEb94ef92fe056C2f2A7',
    questionId: '0xd2f779abf76c499ddd1114924e69d384691dd8eb23b255b98b5273593068c88e',
    tokenIds: [
      '108872296183993054938831082799825620165440189659433018108548854929333464287226',
      '89711174926330519158043401581181146613785179104141808554061413232025882707365',
    ],
  },
  {
    collateral: USDC,
    conditionId: '0xd57eed0d44f5b8ca54925d8d6ff440b146b3e6e071da18136ee3ee572d34479e',
    oracle: '0x65070BE91477460D8A7AeEb94ef92fe056C2f2A7',
    questionId: '0x52e264bc16a4a0dd202f521e97a3476aea56d1c6120077db1fb9aca2caf7797c',
    tokenIds: [
      '22978793223071892222859460592277435458011604214087068523744633723809814935807',
      '108268928354766371660560153450121076545199284531791348447523752861907448942629',
    ],
  },
  {
    collateral: WRAPPED_USDC,
    conditionId: '0xdd22472e552920b8438158ea7238bfadfa4f736aa4cee91a6b86c39ead110917',
    tokenIds: [
      '21742633143463906290569050155826241533067272736897614950488156847949938836455',
      '48331043336612883890938759509493159234755048973500640148014422747788308965732',
    ],
  },
];
