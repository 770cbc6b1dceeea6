// Ids that the API description shows as examples. They are well-formed but belong to nothing on an exchange, except the
// address, which is the first development wallet's. Read by the schemas of requests and replies.

export const EXAMPLE_BYTES32 = '0x3f1e1e2d4b6a7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f';
export const EXAMPLE_ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
export const EXAMPLE_CHECKSUM_ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const EXAMPLE_TOKEN_ID = '71321045679252212594626385532706912750332728571942532289631379312455583992563';
export const EXAMPLE_UUID = '6a9b3c1e-58f4-4f0e-8a57-2f60a1c4d2b7';
