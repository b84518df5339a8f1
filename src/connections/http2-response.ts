/** Responses over HTTP/2, so that code written for those of HTTP/1.1 does the same with them. */

import { constants, Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** Node's own response, with the corrections below. */
export class StreamResponse extends Http2ServerResponse<StreamRequest> {
  /** Breaks the response off. Node's own ends a stream without an error, and the sent part would look complete (RFC 9113 §8.1). */
  override destroy(): this {
    const { stream } = this;
    if (!stream.destroyed && !stream.closed) stream.close(constants.NGHTTP2_CANCEL);
    return this;
  }

  /** A response to HEAD has no body (RFC 9110 §9.3.2): HTTP/1.1 leaves it out, HTTP/2 fails. */
  override write(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
    if (this.req.method !== 'HEAD') return super.write(chunk, ...(rest as []));
    rest.findLast((one) => typeof one === 'function')?.();
    return true;
  }

  override end(...given: unknown[]): this {
    const callback = given.findLast((one) => typeof one === 'function') as (() => void) | undefined;
    const hasBody = this.req.method !== 'HEAD' && given[0] !== callback;
    return hasBody ? super.end(...(given as [string])) : super.end(callback);
  }
}

// Node's own lacks it, and code reads it.
Object.defineProperty(StreamResponse.prototype, 'destroyed', {
  get(this: StreamResponse) {
    return this.stream.destroyed || this.stream.closed;
  },
});

export class StreamRequest extends Http2ServerRequest {}
