// Hex texts that tests make up or rewrite: ids from small numbers, and ids and addresses with their digits in upper case.
// Used by tests that need such a text and don't care which.

/** A number as 32 bytes of hex: a condition id, or a token as commands carry it. */
export const wordOf = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;

/** An order id made from a number. Like a real digest's, its first bytes differ from those of others. */
export const orderIdOf = (value: number): string => `0x${value.toString(16).padStart(8, '0').repeat(8)}`;

/** The same value with its digits in upper case: ids and addresses are accepted in any letter case. */
export const inUpperCase = (hex: string): string => `0x${hex.slice(2).toUpperCase()}`;
