/** A host that receives webhooks in the test's own process, without a connection, and remembers them. */

import type { FakeResponse, TakenCall } from './fake-webhook-host.ts';
import type { PostOutbound } from './outbound-call.ts';

export class LocalWebhookHost {
  readonly calls: TakenCall[] = [];
  /** Its response; default 204. */
  answer: (call: TakenCall) => FakeResponse | Promise<FakeResponse> = () => ({ status: 204 });

  url(path = '/hook'): string {
    return `https://hook.example${path}`;
  }

  /** Takes every call, whatever host it names. */
  readonly post: PostOutbound = async ({ url, headers, body }) => {
    const call = { path: `${url.pathname}${url.search}`, headers, body: String(body) };
    this.calls.push(call);
    const { status, headers: responded = {}, body: response = '' } = await this.answer(call);
    return { status, retryAfter: responded['retry-after'] ?? null, contentType: null, body: response };
  };
}
