/** Hands cameras of this node over without a gap: each stream is cut at a frame that the next node, the heir, has too. */

import { type Clock, pause } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { errorOfWire } from '../../core/wire-error.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import { type ProfileName, RENDITIONS } from '../../stream/media/renditions.ts';
import type { LinkTarget, NodeLink, ReceivedMessage } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import type { LocalStream } from '../local-stream/local-stream.ts';
import { StreamCut } from '../local-stream/stream-cut.ts';
import type { RoleMember } from '../mirror/cluster-camera.ts';
import { HANDOVER_ERRORS } from './errors.ts';
import {
  type OfCamera,
  type PreparationFailure,
  type StreamCutPoint,
  type StreamKey,
  TO_GIVER,
  TO_HEIR,
  type UncutCamera,
} from './handover-messages.ts';

/** Other streams are made of them. */
const CUT_PROFILES: ReadonlySet<ProfileName> = new Set(['main', 'sub']);
/** How long it may take until all that encoders have inside is out. */
const FINISH_MS = 2_000;
/** If all of the time was used until the streams were cut. */
const LEAST_FINISH_MS = 500;
/** A device connects to one node by itself: another one cannot fetch it. */
const PUSHED = 'rtmp';

export interface GivenCamera {
  readonly cameraUuid: Ruuid;
  readonly members: Iterable<RoleMember>;
  /** Those that are published. */
  readonly renditions: readonly RenditionName[];
  readonly heir: LinkTarget;
  /** How long it may take until all streams are cut. */
  readonly limitMs: number;
}

interface Giving {
  readonly heirRunId: string;
  readonly cuts: ReadonlyMap<ProfileName, StreamCut>;
  fail(error: GatewayError): void;
}

export class CameraGiver {
  readonly #links: NodeLinks;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #giving = new Map<Ruuid, Giving>();

  constructor(links: NodeLinks, clock: Clock, log: Log) {
    this.#links = links;
    this.#clock = clock;
    this.#log = log;
    links.onClosed((link, reason) => {
      for (const { heirRunId, fail } of this.#giving.values())
        if (heirRunId === link.peer.runId) fail(reason);
    });
    links.onMessage(TO_GIVER.key, (message) => {
      const { profile, key } = message.body as StreamKey;
      this.#of(message)?.cuts.get(profile)?.reported(key);
    });
    links.onMessage(TO_GIVER.failed, (message) => {
      const { error, profile } = message.body as PreparationFailure;
      this.#of(message)?.fail(
        notPossible(`the next node cannot read ${profile} as well`, errorOfWire(error)),
      );
    });
  }

  /**
   * Resolves when all streams are cut: nothing more of the camera is published here. Fails if it cannot be done, or takes too
   * long; then streams that were not cut continue. Fails HANDOVER_NOT_POSSIBLE, HANDOVER_TIMED_OUT, and as links do.
   */
  async cut(camera: GivenCamera): Promise<void> {
    const streams = cuttable(camera);
    const link = await this.#links.linkTo(camera.heir);
    const releaseLink = link.hold();
    const untilMonoMs = this.#clock.monoMs() + camera.limitMs;
    try {
      await this.#cutAll(camera, streams, link);
      await this.#finishMade(camera, untilMonoMs - this.#clock.monoMs());
    } catch (error) {
      link.send({ kind: TO_HEIR.cancel, body: { camera: camera.cameraUuid } });
      throw error;
    } finally {
      this.#giving.delete(camera.cameraUuid);
      releaseLink();
    }
  }

  /** The camera was not cut, and nothing more of it is published here: the heir measures how much is missing. */
  uncut(cameraUuid: Ruuid, renditions: readonly RenditionName[], heir: LinkTarget): void {
    const profiles = new Set(renditions.map((name) => RENDITIONS[name][0]));
    const body: UncutCamera = {
      camera: cameraUuid,
      profiles: [...CUT_PROFILES].filter((each) => profiles.has(each)),
    };
    if (body.profiles.length === 0) return;
    this.#links.linkTo(heir).then(
      (link) => void link.send({ kind: TO_HEIR.uncut, body }),
      (thrown) =>
        this.#log.warn(
          { camera: cameraUuid, err: toGatewayError(thrown) },
          'gap not reported to the next node',
        ),
    );
  }

  async #cutAll(
    { cameraUuid, renditions, heir, limitMs }: GivenCamera,
    streams: ReadonlyMap<ProfileName, LocalStream>,
    link: NodeLink,
  ): Promise<void> {
    const sinceMonoMs = this.#clock.monoMs();
    const { promise: allCut, resolve, reject } = Promise.withResolvers<void>();
    // Nothing waits for it while the heir prepares.
    allCut.catch(() => undefined);
    const cuts = new Map<ProfileName, StreamCut>();
    const timedOut = (): void => {
      // The heir reads the camera: what it begins with comes sooner than over a new connection.
      if (cuts.values().every((cut) => cut.canBeCutAnyway)) for (const cut of cuts.values()) cut.cutAnyway();
      else reject(new GatewayError(HANDOVER_ERRORS.HANDOVER_TIMED_OUT, { limitMs }));
    };
    const timer = this.#clock.after(limitMs, timedOut);
    for (const [profile, local] of streams) {
      const cut = new StreamCut({
        clock: this.#clock,
        pull: local.pull,
        pass: (unit) => local.pass(unit),
        onCut: (point) => {
          const body: StreamCutPoint = { camera: cameraUuid, profile, point };
          link.send({ kind: TO_HEIR.begin, body });
          const { by, gapMs } = point;
          const afterMs = Math.round(this.#clock.monoMs() - sinceMonoMs);
          this.#log.info({ camera: cameraUuid, profile, to: heir.nodeId, by, gapMs, afterMs }, 'stream cut');
          if (cuts.values().every(({ isCut }) => isCut)) resolve();
        },
      });
      cuts.set(profile, cut);
    }
    this.#giving.set(cameraUuid, { heirRunId: heir.runId, cuts, fail: reject });
    for (const [profile, local] of streams) local.setCut(cuts.get(profile)!);
    try {
      const order = { camera: cameraUuid, renditions, profiles: [...streams.keys()] };
      const prepared = link.request(TO_HEIR.prepare, order, { timeoutMs: limitMs });
      const packagedHere = [...streams.values()].map((local) => local.packageHere());
      await Promise.race([Promise.all([prepared, ...packagedHere]), allCut]);
      for (const cut of cuts.values()) cut.arm(sinceMonoMs + limitMs);
      await allCut;
    } finally {
      timer.cancel();
      for (const [profile, local] of streams) {
        const cut = cuts.get(profile)!;
        cut.close();
        if (!cut.isCut) local.setCut(null);
      }
    }
  }

  /** Finishes the derived streams at the same frame. The heir's encoder begins with the next frame. */
  async #finishMade({ cameraUuid, members }: GivenCamera, leftMs: number): Promise<void> {
    const made = [...members].filter(({ profile }) => !CUT_PROFILES.has(profile));
    const finished = Promise.all(made.map(({ local }) => local?.finish())).then(() => true);
    const late = pause(this.#clock, Math.min(FINISH_MS, Math.max(leftMs, LEAST_FINISH_MS))).then(() => false);
    if (await Promise.race([finished, late])) return;
    this.#log.warn({ camera: cameraUuid }, 'transcoded stream handed over with a gap');
  }

  #of({ body, link }: ReceivedMessage): Giving | undefined {
    const giving = this.#giving.get((body as OfCamera).camera);
    return giving?.heirRunId === link.peer.runId ? giving : undefined;
  }
}

/** Fails HANDOVER_NOT_POSSIBLE. */
function cuttable({ members }: GivenCamera): Map<ProfileName, LocalStream> {
  const streams = new Map<ProfileName, LocalStream>();
  for (const { profile, local, engine } of members) {
    if (!CUT_PROFILES.has(profile)) continue;
    if (engine === PUSHED) throw notPossible('the device pushes its video to this node');
    if (local === null || !local.canBeCut) {
      throw notPossible(`${profile} is not streaming`);
    }
    streams.set(profile, local);
  }
  if (streams.size === 0) throw notPossible('no stream of it is open');
  return streams;
}

function notPossible(reason: string, cause?: GatewayError): GatewayError {
  return new GatewayError(HANDOVER_ERRORS.HANDOVER_NOT_POSSIBLE, { reason, cause: cause?.code }, cause);
}
