// Loads uWebSockets.js, which reads its limits from the environment once, while it is loaded: a program that embeds the
// exchange gets the same ones as `npm start`, except in a worker thread, whose environment is a copy. Only app.ts uses it;
// other files import types alone.

/** Most bytes of a request's first line and headers: a query that lists 500 tokens is longer than the default of 4 kB. */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '65536';
export const { App, us_listen_socket_close, us_socket_local_port } = await import('uWebSockets.js');
