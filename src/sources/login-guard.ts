/**
 * Cameras lock accounts after a few wrong passwords, so a refused login is tried `MAX_LOGIN_TRIES` times and then once
 * every `LOGIN_PAUSE_MS`. Tries are counted per account, host and port included: the channels of an NVR and the two
 * streams of a camera share one. If some path has accepted the account, its password is correct, and a refusal on
 * another path is about that path's permissions; it then pauses only that path. A different password makes a different
 * account.
 *
 * Checks of cameras that no one watches repeat forever, so after a refusal they try the account only once every
 * `CHECK_LOGIN_PAUSE_MS`.
 */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { FairMap, type MemoryHolders } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { LiveSpeaker, SpeakerEvents, SpeakerLine } from '../stream/media/live-speaker.ts';
import { faultReasonOf } from '../stream/source/camera-fault.ts';
import type { Source, SourceInstance } from '../stream/source/source.ts';
import type { SinkWatcher, SourceSink } from '../stream/source/source-sink.ts';

/** Refused tries before the pauses. Cameras lock after 5 to 7. */
export const MAX_LOGIN_TRIES = 3;
/** Between tries after that. Many cameras count wrong passwords over five minutes. */
export const LOGIN_PAUSE_MS = 6 * 60_000;
/** Between tries of a refused login by checks: no camera counts wrong passwords for that long. */
export const CHECK_LOGIN_PAUSE_MS = 60 * 60_000;
/** Limit on remembered paths of one account; beyond it, all are forgotten together. */
export const MAX_PATHS_PER_ACCOUNT = 1_000;

/** The state that refused tries leave. */
interface Refusals {
  count: number;
  /** Tries with an unknown outcome. */
  underWay: number;
  lastMonoMs: number;
  pausedUntilMonoMs: number;
  error: GatewayError;
}

interface Account {
  /** Paths that accepted it. */
  readonly goodPaths: Set<string>;
  /** By path, and for the whole account under `WHOLE_ACCOUNT`. */
  readonly refusals: Map<string, Refusals>;
}

/** A URL's path is never empty. */
const WHOLE_ACCOUNT = '';

/** Where a source logs in. `account` is a digest, because it includes a password. */
interface Login {
  readonly account: string;
  readonly path: string;
  readonly holders: MemoryHolders<typeof LIMITS.cameraLogins>;
  /** No one wants video. */
  readonly isCheck: boolean;
}

export class LoginGuard {
  readonly #clock: Clock;
  readonly #accounts = new FairMap<Account, typeof LIMITS.cameraLogins>(LIMITS.cameraLogins);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#accounts.size;
  }

  /** Wraps `source` so that it opens only when its login may be tried. A URL without a login cannot lock anything. */
  guard(source: Source, url: CredentialUrl, orgUuid: string): Source {
    const login = loginOf(url, orgUuid);
    return login === null ? source : new GuardedSource(source, login, this);
  }

  /** The same for a source that only checks the camera. */
  guardCheck(source: Source, url: CredentialUrl, orgUuid: string): Source {
    const login = loginOf(url, orgUuid, true);
    return login === null ? source : new GuardedSource(source, login, this);
  }

  /**
   * The same for the speaker, which has a connection of its own. It counts as a path of its own: accounts that may watch need not be allowed
   * to talk, and video must not pause because of that.
   */
  guardSpeaker(speaker: LiveSpeaker, url: CredentialUrl, orgUuid: string): LiveSpeaker {
    const watching = loginOf(url, orgUuid);
    if (watching === null) return speaker;
    const login = { ...watching, path: talkPath(watching) };
    return {
      open: (events) => {
        const refusal = this.admit(login);
        return refusal === null ? new GuardedLine(speaker, events, login, this) : endedLine(events, refusal);
      },
    };
  }

  /** Allows its login to be tried immediately: someone changed the camera, or saw it accept the login. */
  forgive(url: CredentialUrl): void {
    const login = loginOf(url, '');
    if (login === null) return;
    const refusals = this.#accounts.get(login.account)?.refusals;
    refusals?.delete(WHOLE_ACCOUNT);
    refusals?.delete(login.path);
    refusals?.delete(talkPath(login));
  }

  /** @internal for GuardedSource. Null: go ahead, and report the outcome. */
  admit(login: Login): GatewayError | null {
    const refusals = this.#refusalsOf(login);
    if (refusals === undefined) return null;
    if (login.isCheck) return this.#admitCheck(refusals);
    const pauseMs = refusals.pausedUntilMonoMs - this.#clock.monoMs();
    if (pauseMs > 0) return withPause(refusals.error, refusals.count, pauseMs);
    const left = refusals.count >= MAX_LOGIN_TRIES ? 1 : MAX_LOGIN_TRIES - refusals.count;
    if (refusals.underWay >= left) return refusals.error;
    refusals.underWay += 1;
    return null;
  }

  #admitCheck(refusals: Refusals): GatewayError | null {
    const pauseMs = refusals.lastMonoMs + CHECK_LOGIN_PAUSE_MS - this.#clock.monoMs();
    if (pauseMs > 0 || refusals.underWay > 0) {
      return withPause(refusals.error, refusals.count, Math.max(pauseMs, 0), true);
    }
    refusals.underWay += 1;
    return null;
  }

  /** @internal for GuardedSource: media arrived. */
  accepted(login: Login): void {
    const { path } = login;
    const known = this.#account(login);
    if (known.goodPaths.size >= MAX_PATHS_PER_ACCOUNT) known.goodPaths.clear();
    known.goodPaths.add(path);
    known.refusals.delete(WHOLE_ACCOUNT);
    known.refusals.delete(path);
  }

  /** @internal for GuardedSource: the password was refused. Returns the error to pass on. */
  refused(login: Login, error: GatewayError): GatewayError {
    const known = this.#account(login);
    // A password that was correct is now wrong: someone changed it, for all paths.
    if (known.goodPaths.has(login.path)) known.goodPaths.clear();
    if (known.refusals.size >= MAX_PATHS_PER_ACCOUNT) known.refusals.clear();
    const scope = scopeOf(known, login);
    const refusals = known.refusals.get(scope) ?? newRefusals(error);
    known.refusals.set(scope, refusals);
    refusals.count += 1;
    refusals.lastMonoMs = this.#clock.monoMs();
    refusals.underWay = Math.max(0, refusals.underWay - 1);
    refusals.error = error;
    if (login.isCheck) return withPause(error, refusals.count, CHECK_LOGIN_PAUSE_MS);
    if (refusals.count < MAX_LOGIN_TRIES) return error;
    refusals.pausedUntilMonoMs = this.#clock.monoMs() + LOGIN_PAUSE_MS;
    return withPause(error, refusals.count, LOGIN_PAUSE_MS);
  }

  /** @internal for GuardedSource: it ended without showing whether the login is correct. */
  undecided(login: Login): void {
    const refusals = this.#refusalsOf(login);
    if (refusals !== undefined) refusals.underWay = Math.max(0, refusals.underWay - 1);
  }

  #refusalsOf(login: Login): Refusals | undefined {
    const known = this.#accounts.get(login.account);
    return known?.refusals.get(scopeOf(known, login));
  }

  #account({ account, holders }: Login): Account {
    const known = this.#accounts.touch(account) ?? { goodPaths: new Set(), refusals: new Map() };
    if (!this.#accounts.has(account)) this.#accounts.set(account, holders, known);
    return known;
  }
}

class GuardedSource implements Source {
  readonly #source: Source;
  readonly #login: Login;
  readonly #guard: LoginGuard;

  constructor(source: Source, login: Login, guard: LoginGuard) {
    this.#source = source;
    this.#login = login;
    this.#guard = guard;
  }

  get engine(): string {
    return this.#source.engine;
  }

  open(sink: SourceSink): SourceInstance {
    const refusal = this.#guard.admit(this.#login);
    if (refusal !== null) return endedLater(sink, refusal);
    return new GuardedInstance(this.#source, sink, this.#login, this.#guard);
  }
}

class GuardedInstance implements SourceInstance, SinkWatcher {
  readonly #sink: SourceSink;
  readonly #login: Login;
  readonly #guard: LoginGuard;
  readonly #inner: SourceInstance;
  #isDecided = false;

  constructor(source: Source, sink: SourceSink, login: Login, guard: LoginGuard) {
    this.#sink = sink;
    this.#login = login;
    this.#guard = guard;
    this.#inner = source.open(sink.branch(this));
  }

  onOpened(): void {
    this.#isDecided = true;
    this.#guard.accepted(this.#login);
  }

  onEnded(error: GatewayError): GatewayError {
    const isRefusal = faultReasonOf(error) === 'wrong-password';
    if (!isRefusal) this.#leaveUndecided();
    this.#isDecided = true;
    return isRefusal ? this.#guard.refused(this.#login, error) : error;
  }

  async close(): Promise<void> {
    this.#sink.close();
    this.#leaveUndecided();
    await this.#inner.close();
  }

  #leaveUndecided(): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#guard.undecided(this.#login);
  }
}

class GuardedLine implements SpeakerLine {
  readonly #login: Login;
  readonly #guard: LoginGuard;
  readonly #inner: SpeakerLine;
  #isDecided = false;

  constructor(speaker: LiveSpeaker, events: SpeakerEvents, login: Login, guard: LoginGuard) {
    this.#login = login;
    this.#guard = guard;
    this.#inner = speaker.open({
      onOpen: () => {
        this.#isDecided = true;
        guard.accepted(login);
        events.onOpen();
      },
      onEnded: (error) => {
        const isRefusal = faultReasonOf(error) === 'wrong-password';
        if (!isRefusal) this.#leaveUndecided();
        this.#isDecided = true;
        events.onEnded(isRefusal ? guard.refused(login, error) : error);
      },
    });
  }

  write(samples: Int16Array): void {
    this.#inner.write(samples);
  }

  close(): void {
    this.#leaveUndecided();
    this.#inner.close();
  }

  #leaveUndecided(): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#guard.undecided(this.#login);
  }
}

/** A line that was never opened: it ends with `error` after `open` has returned. */
function endedLine(events: SpeakerEvents, error: GatewayError): SpeakerLine {
  let isClosed = false;
  queueMicrotask(() => {
    if (!isClosed) events.onEnded(error);
  });
  return {
    write: () => undefined,
    close: () => {
      isClosed = true;
    },
  };
}

/** An instance that was never opened: it ends with `error` after `open` has returned. */
function endedLater(sink: SourceSink, error: GatewayError): SourceInstance {
  queueMicrotask(() => sink.onEnded(error));
  return { close: async () => sink.close() };
}

function scopeOf(known: Account, { path }: Login): string {
  return known.goodPaths.size === 0 ? WHOLE_ACCOUNT : path;
}

/** No URL's path has a space. */
function talkPath({ path }: Login): string {
  return `${path} talk`;
}

function newRefusals(error: GatewayError): Refusals {
  return { count: 0, underWay: 1, lastMonoMs: 0, pausedUntilMonoMs: 0, error };
}

/** The same error, plus how long the login is left alone. `isHeld`: the camera was not contacted. */
function withPause(error: GatewayError, tries: number, pauseMs: number, isHeld = false): GatewayError {
  const { code, kind, message } = error;
  const held = isHeld ? { isLoginHeld: true } : {};
  const context = { ...error.context, tries, loginPauseMs: Math.ceil(pauseMs), ...held };
  return new GatewayError({ code, kind, message }, context, error.cause);
}

function loginOf(url: CredentialUrl, orgUuid: string, isCheck = false): Login | null {
  const credentials = url.credentials();
  if (credentials === null) return null;
  const { pathname, search } = new URL(url.redacted());
  const parts = [url.hostname, url.port, credentials.username, credentials.password.reveal()];
  const account = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  const holders = { organization: orgUuid, address: `${url.hostname}:${url.port}` };
  return { account, path: `/${pathname}${search}`, holders, isCheck };
}
