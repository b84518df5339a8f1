/** A third-party STOMP client of the real-time stream, with all that it has heard. */

import { Client } from '@stomp/stompjs';
import { API_KEY, type Json, type TestGateway } from './gateway.ts';
import { until } from './until.ts';

export class ChangeListener {
  readonly messages: Json[];
  readonly #client: Client;

  private constructor(client: Client, messages: Json[]) {
    this.#client = client;
    this.messages = messages;
  }

  /** Resolves when the gateway has confirmed the subscription to the organization's changes. */
  static async open(node: TestGateway): Promise<ChangeListener> {
    const client = new Client({
      brokerURL: `${node.apiUrl.replace('http', 'ws')}/websocket`,
      connectHeaders: { 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token' },
      reconnectDelay: 0,
      // A frozen gateway sends none, and reads none.
      heartbeatIncoming: 0,
      heartbeatOutgoing: 0,
    });
    client.activate();
    await until('the client to be connected', () => client.connected);
    const { org } = await node.call('org/getOrgV2');
    const messages: Json[] = [];
    let isSubscribed = false;
    client.watchForReceipt('subscribed', () => {
      isSubscribed = true;
    });
    const take = ({ body }: { body: string }) => void messages.push(JSON.parse(body));
    client.subscribe(`/topic/change/${org.uuid}`, take, { receipt: 'subscribed' });
    await until('the subscription to be confirmed', () => isSubscribed);
    return new ChangeListener(client, messages);
  }

  get isConnected(): boolean {
    return this.#client.connected;
  }

  /** Messages about viewers of this share. */
  viewersOf(shareUuid: string): Json[] {
    return this.messages.filter(
      ({ entity, update }) => entity === 'VIEWER' && update.sharedLiveVideoStreamUuid === shareUuid,
    );
  }

  /** Types of the messages about one viewer, in order. */
  typesOf(viewerId: string): string[] {
    const ofViewer = this.messages.filter(
      ({ entity, entityUuid }) => entity === 'VIEWER' && entityUuid === viewerId,
    );
    return ofViewer.map(({ type }) => type);
  }

  close(): Promise<void> {
    return this.#client.deactivate();
  }
}
