// The version of the interface, as /openapi.json and /version state it and CHANGELOG.md describes it. Raise it when you
// change a path, a field or a meaning: the last number for additions that old clients never notice, the middle one for
// additions, the first for breaking changes. It is independent of the order struct, whose version is 2.
export const INTERFACE_VERSION = '1.0.0';
