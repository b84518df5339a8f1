/**
 * The requests of one client connection: numbers them (CSeq), adds the session and the credentials, and finds the
 * request that an answer belongs to (RFC 2326 §12.17). Answers may come in any order.
 */

import type { GatewayError } from '../core/errors.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { Authenticator } from './authenticator.ts';
import { cseqOf, type RtspHeaderField, type RtspHeaders } from './headers.ts';
import { writeRequest } from './message-writer.ts';
import { parseSessionHeader } from './session-header.ts';

export type RequestPurpose = 'handshake' | 'keep-alive' | 'teardown';

export interface PendingRequest {
  readonly cseq: number;
  readonly purpose: RequestPurpose;
  readonly method: string;
  readonly uri: string;
  readonly fields: readonly RtspHeaderField[];
  /** How often it has been sent. */
  readonly tries: number;
  readonly wasAuthorized: boolean;
}

const USER_AGENT = 'Sluice';
/** Unanswered requests that are remembered; the oldest, a keep-alive, makes room. */
const MAX_PENDING = 8;

export class ClientRequests {
  readonly #send: (bytes: Uint8Array) => void;
  readonly #authenticator: Authenticator;
  #pending: PendingRequest[] = [];
  #lastCseq = 0;
  #sessionId: string | null = null;
  #sessionTimeoutSec: number | null = null;

  /** `url`: whose credentials to use. `makeCnonce`: see Authenticator. */
  constructor(send: (bytes: Uint8Array) => void, url: CredentialUrl, makeCnonce: () => string) {
    this.#send = send;
    this.#authenticator = new Authenticator(url.credentials(), makeCnonce);
  }

  /** The session time-out the camera named; null when it named none. */
  get sessionTimeoutSec(): number | null {
    return this.#sessionTimeoutSec;
  }

  /** Method of the request that waits longest for its answer. */
  get oldestMethod(): string | null {
    return this.#pending[0]?.method ?? null;
  }

  send(purpose: RequestPurpose, method: string, uri: string, fields: readonly RtspHeaderField[]): void {
    this.#sendDraft({ purpose, method, uri, fields, tries: 1 });
  }

  /** The request that an answer belongs to: by CSeq, or the oldest one when the camera left CSeq out; null when none. */
  take(headers: RtspHeaders): PendingRequest | null {
    const cseq = cseqOf(headers);
    const index = cseq === null ? 0 : this.#pending.findIndex((request) => request.cseq === cseq);
    return index < 0 ? null : (this.#pending.splice(index, 1)[0] ?? null);
  }

  /** Answers a 401 by sending the request once more; the error says why there is no point in it. */
  challenged(request: PendingRequest, headers: RtspHeaders): GatewayError | null {
    const error = this.#authenticator.challenged(request, headers);
    if (error === null) this.#sendDraft({ ...request, tries: request.tries + 1 });
    return error;
  }

  /** A request got another answer than 401. */
  accepted(request: PendingRequest): void {
    if (request.wasAuthorized) this.#authenticator.accepted();
  }

  /**
   * Takes over the Session field of a success. The first id stays (RFC 2326 §12.37: what the answer to the first SETUP
   * assigns goes with every request that follows); H264DVR answers the second SETUP with another one, and knows only the first.
   */
  rememberSession(headers: RtspHeaders): void {
    const session = parseSessionHeader(headers.get('Session') ?? '');
    if (session === null) return;
    this.#sessionId ??= session.id;
    // PLAY answers often repeat the id alone.
    this.#sessionTimeoutSec = session.timeoutSec ?? this.#sessionTimeoutSec;
  }

  /** Answers to what has been sent so far are of no interest any more. */
  forget(): void {
    this.#pending = [];
  }

  #sendDraft(draft: Omit<PendingRequest, 'cseq' | 'wasAuthorized'>): void {
    const { purpose, method, uri, fields, tries } = draft;
    const authorization = this.#authenticator.authorize(method, uri);
    const cseq = ++this.#lastCseq;
    const written: RtspHeaderField[] = [['CSeq', String(cseq)]];
    if (authorization !== null) written.push(['Authorization', authorization]);
    written.push(['User-Agent', USER_AGENT]);
    if (this.#sessionId !== null) written.push(['Session', this.#sessionId]);
    written.push(...fields);
    if (this.#pending.length >= MAX_PENDING) this.#pending.shift();
    this.#pending.push({ cseq, purpose, method, uri, fields, tries, wasAuthorized: authorization !== null });
    this.#send(writeRequest(method, uri, written));
  }
}
