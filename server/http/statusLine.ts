// The status of a reply as it is written on the first line: the number and its text. Written by the handlers of requests and
// of upgrades.

// Not imported: that would evaluate all that node:http exports, among it a client that fetches, 50 ms of every start.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Number and text of a status, such as `404 Not Found`. */
export const statusLine = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`;
