// The numbers of notifications as the 16-byte items of DropNotifications. Written by the server, read by the registry and
// by views. Every item reads as some number: one that was not written here drops a notification that does not exist.

const ITEM_DIGITS = 32;
/** The low 52 bits, which always make an exact integer. */
const NUMBER_DIGITS = 13;

/** The item of a notification's number, from 1 to 2^52 − 1. */
export function notificationItem(number: number): string {
  return `0x${number.toString(16).padStart(ITEM_DIGITS, '0')}`;
}

/** The number that an item (0x and 32 hex digits) stands for. */
export function notificationNumber(item: string): number {
  return Number.parseInt(item.slice(-NUMBER_DIGITS), 16);
}
