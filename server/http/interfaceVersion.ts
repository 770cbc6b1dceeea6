// The version of the interface: what /openapi.json and /version state, and CHANGELOG.md tells the changes of. Raised by
// whoever changes a path, a field or a meaning: the last number for additions that old clients never notice, the middle one
// for additions, the first for what breaks them. It says nothing of the order struct, whose version is 2.
export const INTERFACE_VERSION = '1.0.0';
