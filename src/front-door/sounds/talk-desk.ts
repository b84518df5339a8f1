/**
 * Who talks to which camera: one client per camera, of those that listen to it and may talk. A talk begins with the first frame of sound
 * and ends when no more come, after a minute of silence, and within a second when the right to talk ends. It is heard once the audit trail has
 * stored that it began; if it cannot, the talk is refused. Every listener of the camera learns who talks.
 */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { RTSP_ERRORS } from '../../rtsp/errors.ts';
import type { TalkActor } from '../../sharing/talk-rights.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { LiveSpeaker, SpeakerLine } from '../../stream/media/live-speaker.ts';
import { isTalkControl, type TalkNews, type TalkRefusal, talkMessage, talkSamples } from './talk-message.ts';

/** The client let go of the button. */
const RELEASED_MS = 1_000;
/** Nobody says anything. */
export const TALK_SILENCE_MS = 60_000;
/** Of 32768: quieter sound is silence. */
const LOUD = 500;
const LOOK_MS = 250;
/** In a row. */
const MAX_MALFORMED = 3;
/** What is said while the audit trail stores that the talk began, at most. */
const MAX_EARLY_FRAMES = 10;

/** A talk that may be heard. */
export interface BegunTalk {
  /** Called once. */
  end(): void;
}

export interface TalkDeskOptions {
  /** The person, key, or link that talks; null: it may not, or no longer. */
  readonly actorOf: (session: ViewerSession) => TalkActor | null;
  /** null: the camera has none that the gateway can use. */
  readonly speakerOf: (session: ViewerSession) => LiveSpeaker | null;
  /** Stores that a talk begins. A text: why it must not. Never rejects. */
  readonly begin: (session: ViewerSession, actor: TalkActor) => Promise<BegunTalk | TalkRefusal>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Talk {
  readonly talker: Talker;
  readonly actor: TalkActor;
  readonly line: SpeakerLine;
  /** null: not stored yet, so it is not heard. */
  begun: BegunTalk | null;
  readonly early: Int16Array[];
  lastFrameMonoMs: number;
  lastLoudMonoMs: number;
}

/** A camera that someone listens to. */
interface Room {
  readonly listeners: Set<Talker>;
  talk: Talk | null;
}

export class TalkDesk {
  readonly #options: TalkDeskOptions;
  /** By camera of the organization. */
  readonly #rooms = new Map<Ruuid, Room>();
  #timer: TimerHandle | null = null;

  constructor(options: TalkDeskOptions) {
    this.#options = options;
  }

  get talks(): number {
    return [...this.#rooms.values()].filter(({ talk }) => talk !== null).length;
  }

  /** A client listens to the camera of its session. `say` sends it a text message. `leave` must follow. */
  enter(session: ViewerSession, say: (text: string) => void): Talker {
    const talker = new Talker(this, session, say);
    const room = this.#rooms.get(session.deviceUuid) ?? { listeners: new Set(), talk: null };
    this.#rooms.set(session.deviceUuid, room);
    room.listeners.add(talker);
    if (room.talk?.begun != null) say(talkMessage(newsOf(room.talk, talker)));
    return talker;
  }

  leave(talker: Talker): void {
    const room = this.#rooms.get(talker.session.deviceUuid);
    if (room === undefined || !room.listeners.delete(talker)) return;
    if (room.talk?.talker === talker) this.#end(room);
    if (room.listeners.size === 0) this.#rooms.delete(talker.session.deviceUuid);
  }

  isTalking(talker: Talker): boolean {
    return this.#rooms.get(talker.session.deviceUuid)?.talk?.talker === talker;
  }

  /** Why it is not heard; null: it is. Hot: once per frame. */
  frame(talker: Talker, samples: Int16Array): TalkRefusal | null {
    const room = this.#rooms.get(talker.session.deviceUuid);
    if (room === undefined) return 'device-unavailable';
    if (room.talk === null) return this.#begin(room, talker, samples);
    if (room.talk.talker !== talker) return 'busy';
    const nowMonoMs = this.#options.clock.monoMs();
    room.talk.lastFrameMonoMs = nowMonoMs;
    if (isLoud(samples)) room.talk.lastLoudMonoMs = nowMonoMs;
    write(room.talk, samples);
    return null;
  }

  #begin(room: Room, talker: Talker, samples: Int16Array): TalkRefusal | null {
    const { actorOf, speakerOf, clock, begin } = this.#options;
    const { session } = talker;
    const speaker = speakerOf(session);
    if (speaker === null) return 'capability-unavailable';
    const actor = actorOf(session);
    if (actor === null) return 'not-authorized';
    const line = speaker.open({
      onOpen: () => undefined,
      onEnded: (error) => this.#lost(room, line, error),
    });
    const nowMonoMs = clock.monoMs();
    const times = { lastFrameMonoMs: nowMonoMs, lastLoudMonoMs: nowMonoMs };
    const talk: Talk = { talker, actor, line, begun: null, early: [], ...times };
    room.talk = talk;
    write(talk, samples);
    void begin(session, actor).then((outcome) => this.#begun(room, talk, outcome));
    this.#timer ??= clock.after(LOOK_MS, () => this.#look());
    return null;
  }

  #begun(room: Room, talk: Talk, outcome: BegunTalk | TalkRefusal): void {
    const isRefusal = typeof outcome === 'string';
    if (room.talk !== talk) {
      if (!isRefusal) outcome.end();
      return;
    }
    if (isRefusal) {
      this.#end(room, outcome);
      return;
    }
    talk.begun = outcome;
    for (const samples of talk.early.splice(0)) talk.line.write(samples);
    for (const listener of room.listeners) listener.tell(newsOf(talk, listener));
  }

  #lost(room: Room, line: SpeakerLine, error: GatewayError): void {
    if (room.talk?.line !== line) return;
    const { talker } = room.talk;
    this.#options.log.info({ camera: talker.session.deviceUuid, err: error }, 'talk failed');
    const isAbsent = error.code === RTSP_ERRORS.RTSP_NO_BACK_CHANNEL.code;
    this.#end(room, isAbsent ? 'capability-unavailable' : 'device-unavailable');
  }

  #look(): void {
    this.#timer = null;
    const { clock, actorOf } = this.#options;
    const nowMonoMs = clock.monoMs();
    for (const room of this.#rooms.values()) {
      if (room.talk === null) continue;
      const { talker, lastFrameMonoMs, lastLoudMonoMs } = room.talk;
      if (actorOf(talker.session) === null) this.#end(room, 'not-authorized');
      else if (nowMonoMs - lastLoudMonoMs >= TALK_SILENCE_MS) this.#end(room, 'silence');
      else if (nowMonoMs - lastFrameMonoMs >= RELEASED_MS) this.#end(room);
    }
    if (this.talks > 0) this.#timer = clock.after(LOOK_MS, () => this.#look());
  }

  #end(room: Room, reason: TalkRefusal | null = null): void {
    const { talk } = room;
    if (talk === null) return;
    room.talk = null;
    talk.line.close();
    if (talk.begun !== null) {
      talk.begun.end();
      for (const listener of room.listeners) listener.tell({ state: 'ended' });
    }
    if (reason !== null) talk.talker.refuse(reason, this.#options.clock.monoMs());
  }
}

/** One client: the messages that it sends and gets. */
export class Talker {
  readonly session: ViewerSession;
  readonly #desk: TalkDesk;
  readonly #say: (text: string) => void;
  #hasControl = false;
  #malformed = 0;
  /** Why it is not heard, which it knows; null: it is, or has paused since. */
  #refusal: TalkRefusal | null = null;
  #refusedAtMonoMs = 0;

  constructor(desk: TalkDesk, session: ViewerSession, say: (text: string) => void) {
    this.#desk = desk;
    this.session = session;
    this.#say = say;
  }

  get isTalking(): boolean {
    return this.#desk.isTalking(this);
  }

  /** A message of the client, at `nowMonoMs`. False: it sends what no client sends. */
  take(message: Buffer, nowMonoMs: number): boolean {
    const samples = this.#hasControl ? talkSamples(message) : null;
    if (samples === null && !isTalkControl(message)) return ++this.#malformed < MAX_MALFORMED;
    this.#malformed = 0;
    this.#hasControl = true;
    if (samples === null) return true;
    // Who was refused is heard only after a pause.
    const isPaused = nowMonoMs - this.#refusedAtMonoMs >= RELEASED_MS;
    if (this.#refusal !== null) this.#refusedAtMonoMs = nowMonoMs;
    if (this.#refusal !== null && !isPaused) return true;
    this.#refusal = null;
    const refusal = this.#desk.frame(this, samples);
    if (refusal !== null) this.refuse(refusal, nowMonoMs);
    return true;
  }

  tell(news: TalkNews): void {
    this.#say(talkMessage(news));
  }

  refuse(reason: TalkRefusal, nowMonoMs: number): void {
    this.#refusal = reason;
    this.#refusedAtMonoMs = nowMonoMs;
    this.tell({ state: 'refused', reason });
  }

  leave(): void {
    this.#desk.leave(this);
  }
}

/** Borrows `samples`. */
function write({ line, begun, early }: Talk, samples: Int16Array): void {
  if (begun !== null) {
    line.write(samples);
    return;
  }
  early.push(Int16Array.from(samples));
  if (early.length > MAX_EARLY_FRAMES) early.shift();
}

/** Viewers with a link do not learn names. */
function newsOf({ talker, actor }: Talk, listener: Talker): TalkNews {
  if (listener === talker) return { state: 'talking', isOwn: true };
  return { state: 'talking', ...(listener.session.grant.of === 'share' ? {} : { by: actor.name }) };
}

function isLoud(samples: Int16Array): boolean {
  for (const sample of samples) if (sample > LOUD || sample < -LOUD) return true;
  return false;
}
