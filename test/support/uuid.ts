// What ids of keys and heartbeats look like. Used by the tests that are given one; ids of trades are of another version and
// are looked at where they are made.

/** A UUID of version 4 in lower case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
