// What ids of keys and heartbeats look like, for the tests that are given one.

/** A UUID of version 4 in lower case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
