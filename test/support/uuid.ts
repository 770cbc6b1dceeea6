// The format of key ids and heartbeat ids. Used by the tests that receive one; trade ids are of another version and are
// checked where they are made.

/** A UUID of version 4 in lower case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
