// The operator of the exchange, who creates the replay's markets and credits its wallets. Called while a replay is prepared. It
// uses only the operator's public interface.
import type { ClientReply, ExchangeClient } from './client.ts';

export class Operator {
  private readonly client: ExchangeClient;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(client: ExchangeClient, adminToken: string) {
    this.client = client;
    this.headers = { authorization: `Bearer ${adminToken}` };
  }

  post(path: string, body: unknown): Promise<ClientReply> {
    return this.client.send('POST', path, { body, headers: this.headers });
  }
}
