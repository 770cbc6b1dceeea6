// The minimal server of POST /order: uWebSockets.js reads the body, parses its JSON and answers with as many bytes as the
// exchange. Started by servers.ts as a child that prints its port; its rate bounds the exchange's.
import { App, us_socket_local_port } from 'uWebSockets.js';

const REPLY =
  `{"success":true,"errorMsg":"","orderID":"0x${'0'.repeat(64)}","takingAmount":"","makingAmount":"",` +
  '"status":"live","transactionsHashes":[],"tradeIDs":[]}';

const app = App();
app.post('/order', (res) => {
  res.onAborted(() => {});
  let text = '';
  res.onData((chunk, isLast) => {
    text += Buffer.from(chunk).toString('utf8');
    if (!isLast) return;
    const isOrder = typeof JSON.parse(text).order === 'object';
    res.cork(() => {
      res.writeStatus(isOrder ? '200 OK' : '400 Bad Request');
      res.writeHeader('Content-Type', 'application/json');
      res.end(REPLY);
    });
  });
});
app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('The bare server found no free port.');
  console.log(JSON.stringify({ port: us_socket_local_port(socket) }));
});
