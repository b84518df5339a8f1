/**
 * The requests of one client connection: numbers them (CSeq), adds the session and the credentials, and finds the
 * request that a response belongs to (RFC 2326 §12.17). Responses may come in any order.
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
/** Limit on remembered unanswered requests; the oldest, a keep-alive, is dropped. */
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

  /** The session timeout from the camera; null if it named none. */
  get sessionTimeoutSec(): number | null {
    return this.#sessionTimeoutSec;
  }

  /** Method of the request that has waited longest for its response. */
  get oldestMethod(): string | null {
    return this.#pending[0]?.method ?? null;
  }

  send(purpose: RequestPurpose, method: string, uri: string, fields: readonly RtspHeaderField[]): void {
    this.#sendDraft({ purpose, method, uri, fields, tries: 1 });
  }

  /**
   * The request that a response belongs to: by CSeq, or the oldest one if the camera left out CSeq; null if there is
   * none.
   */
  take(headers: RtspHeaders): PendingRequest | null {
    const cseq = cseqOf(headers);
    const index = cseq === null ? 0 : this.#pending.findIndex((request) => request.cseq === cseq);
    return index < 0 ? null : (this.#pending.splice(index, 1)[0] ?? null);
  }

  /** Handles a 401 by sending the request once more; the error says why that is pointless. */
  challenged(request: PendingRequest, headers: RtspHeaders): GatewayError | null {
    const error = this.#authenticator.challenged(request, headers);
    if (error === null) this.#sendDraft({ ...request, tries: request.tries + 1 });
    return error;
  }

  /** A request got a response other than 401. */
  accepted(request: PendingRequest): void {
    if (request.wasAuthorized) this.#authenticator.accepted();
  }

  /**
   * Takes over the Session field of a success. The first id stays (RFC 2326 §12.37: the id assigned in the response to
   * the first SETUP goes with every later request); H264DVR sends a different one in response to the second SETUP, and
   * knows only the first.
   */
  rememberSession(headers: RtspHeaders): void {
    const session = parseSessionHeader(headers.get('Session') ?? '');
    if (session === null) return;
    this.#sessionId ??= session.id;
    // PLAY responses often repeat only the id.
    this.#sessionTimeoutSec = session.timeoutSec ?? this.#sessionTimeoutSec;
  }

  /** Responses to earlier requests no longer matter. */
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
