// The two forms of an API key: a UUID for clients, and 16 bytes (0x and 32 hex digits) in messages and in the log. Called by
// the derivation of keys, by the view of keys, and by the routes and parsers that read one.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text is a UUID, the form of an API key, in either letter case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The 16 bytes of an API key (0x and 32 hex digits), as messages carry it; undefined if the text is not a UUID. */
export function keyIdOfUuid(apiKey: string): string | undefined {
  return isUuid(apiKey) ? `0x${apiKey.replaceAll('-', '').toLowerCase()}` : undefined;
}

/** The key id of a UUID that was made here. @throws Error if the text is not a UUID */
export function requireKeyId(uuid: string): string {
  const keyId = keyIdOfUuid(uuid);
  if (keyId === undefined) throw new Error(`key ids: ${uuid} is not a UUID`);
  return keyId;
}

/** The UUID text of a key's 16 bytes (0x and 32 hex digits). */
export function uuidOfKeyId(keyId: string): string {
  return `${keyId.slice(2, 10)}-${keyId.slice(10, 14)}-${keyId.slice(14, 18)}-${keyId.slice(18, 22)}-${keyId.slice(22)}`;
}
