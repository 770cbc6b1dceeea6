// The numbers of notifications as the 16-byte items of DropNotifications. Written by the server, read by the registry and
// by views. Any item reads as some number: bytes that nobody wrote here drop a notification that does not exist.

const ITEM_DIGITS = 32;
/** The low 52 bits: always a whole number that is exact. */
const NUMBER_DIGITS = 13;

/** The item of a notification's number, from 1 to 2^52 − 1. */
export function notificationItem(number: number): string {
  return `0x${number.toString(16).padStart(ITEM_DIGITS, '0')}`;
}

/** The number that an item (0x and 32 hex digits) stands for. */
export function notificationNumber(item: string): number {
  return Number.parseInt(item.slice(-NUMBER_DIGITS), 16);
}
