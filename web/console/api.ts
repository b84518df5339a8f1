/**
 * Calls of the management API, with the rights of the person who signed in: the browser sends the cookie, and the header
 * `x-auth-scheme: console` says that it counts.
 */

import { LANGUAGE } from '../words/choices.ts';
import type { Values } from '../words/plain-words.ts';
import type { ApiCalls } from './api-calls.ts';
import { noteDate, sentNow } from './gateway-clock.ts';
import { API_BASE } from './places.ts';
import { parsePlain } from './plain-json.ts';
import { noteResponse, watchCall } from './signs-of-life.ts';
import { t } from './words.ts';

/** Why a call failed, in words for people. */
export class CallError extends Error {
  /** HTTP status; 0: no response came. */
  readonly status: number;
  /** The request's ID, for anyone who reads the log; null if no response came. */
  readonly requestId: string | null;
  /** Seconds until another try makes sense; null: any time. */
  readonly retryAfterSec: number | null;
  /** The error's code, as the reference lists it; null if no response came. */
  readonly code: string | null;

  constructor(
    message: string,
    facts: {
      status: number;
      requestId?: string | null;
      retryAfterSec?: number | null;
      code?: string | null;
    },
  ) {
    super(message);
    this.name = 'CallError';
    this.status = facts.status;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSec = facts.retryAfterSec ?? null;
    this.code = facts.code ?? null;
  }

  get isSignedOut(): boolean {
    return this.status === 401;
  }

  get isRateLimited(): boolean {
    return this.status === 429;
  }
}

interface Envelope {
  readonly error?: boolean;
  readonly errorMsg?: string;
}

const TIMEOUT_MS = 30_000;

const signedOutListeners = new Set<() => void>();

/** Calls the listener whenever a response reports that the session has ended. */
export function onSignedOut(listener: () => void): void {
  signedOutListeners.add(listener);
}

/** How often someone has signed in here. */
let signIns = 0;

/** Responses to requests from before say nothing about who is signed in now. */
export function noteSignIn(): void {
  signIns += 1;
}

/** The body of a call, by its path. */
export type Request<Path extends keyof ApiCalls> = ApiCalls[Path]['request'];
/** The response of a successful call. `warningMsg`: how the gateway departed from the request. */
export type Answer<Path extends keyof ApiCalls> = ApiCalls[Path]['answer'] & {
  readonly warningMsg?: string;
};

/** The paths whose calls need no body. */
type BarePath = {
  [Path in keyof ApiCalls]: object extends Request<Path> ? Path : never;
}[keyof ApiCalls];

/** A body without fields that the endpoint does not take; spread objects would otherwise bring them along. */
type Exactly<Body, Known> = Body & { readonly [Field in Exclude<keyof Body, keyof Known>]: never };

export function call<Path extends BarePath>(path: Path): Promise<Answer<Path>>;
/**
 * `path`: `<category>/<operation>`. `once`: the same call with the same text is done once. Fails with a CallError. The types come
 * from the endpoint; run `npm run docs` after you add a path.
 */
export function call<Path extends keyof ApiCalls, Body extends Request<Path>>(
  path: Path,
  body: Exactly<Body, Request<Path>>,
  signal?: AbortSignal,
  once?: string,
): Promise<Answer<Path>>;
export async function call<Path extends keyof ApiCalls>(
  path: Path,
  body: object = {},
  signal?: AbortSignal,
  once?: string,
): Promise<Answer<Path>> {
  const signInsBefore = signIns;
  const response = await send(path, body, signal, once);
  const result = (await bodyOf(response)) as (Envelope & Answer<Path>) | null;
  if (response.ok && result !== null && result.error !== true) return result;
  if (response.status === 401 && signIns === signInsBefore) {
    for (const listener of signedOutListeners) listener();
  }
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const sentence = (await ownSentence(response)) ?? result?.errorMsg;
  throw new CallError(
    sentence ?? t('The gateway answered with status {status}.', { status: response.status }),
    {
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      code: response.headers.get('x-error-code'),
      retryAfterSec: Number.isFinite(retryAfter) ? retryAfter : null,
    },
  );
}

/** A refusal in the document's language; null: in English, and for codes without a translation. */
async function ownSentence({ headers }: Response): Promise<string | null> {
  if (LANGUAGE === 'en') return null;
  const { errorSentence } = await import('./error-words.ts');
  const fields: unknown = parsePlain(decodeURIComponent(headers.get('x-error-fields') ?? '%7B%7D'));
  return errorSentence(headers.get('x-error-code'), fields as Values);
}

/** null: it is not JSON. */
async function bodyOf(response: Response): Promise<unknown> {
  try {
    return parsePlain(await response.text());
  } catch {
    // a proxy's page: the status alone counts
    return null;
  }
}

async function send(
  path: string,
  body: object,
  signal: AbortSignal | undefined,
  once: string | undefined,
): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const sentMs = sentNow();
  const endWatch = watchCall();
  try {
    const response = await fetch(new URL(`api/${path}`, API_BASE), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-auth-scheme': 'console',
        ...(once === undefined ? {} : { 'idempotency-key': once }),
      },
      body: JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    noteDate(response.headers.get('date'), sentMs);
    noteResponse();
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    const isLate = timeout.aborted;
    throw new CallError(
      isLate
        ? t('The gateway did not answer in time.')
        : t('The gateway cannot be reached. Check your network.'),
      { status: 0 },
    );
  } finally {
    endWatch();
  }
}
