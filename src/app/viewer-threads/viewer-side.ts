/** A viewer thread, wired: its listener, its viewers, its mirrors, and its reports to the gateway's thread. */

import { performance } from 'node:perf_hooks';
import type { BirpcReturn } from 'birpc';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import { HttpListener } from '../../connections/http-listener.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { ShareTraffic } from '../../front-door/response/share-traffic.ts';
import { buildViewerDoor, type ViewerDoor } from '../../front-door/viewer-thread/build-viewer-door.ts';
import { LeasedSessions } from '../../front-door/viewer-thread/leased-sessions.ts';
import { MirroredCameras } from '../../mirror/mirrored-cameras.ts';
import type { Interest } from '../../stream/media/live-media.ts';
import { mostUrgent, type Urgency } from '../../stream/media/urgency.ts';
import { PathKey } from '../../stream/window/path-signer.ts';
import { boundPort, listen, stopListening } from '../process/listening.ts';
import type {
  DeskCalls,
  Touch,
  ViewerThreadCalls,
  ViewerThreadData,
  ViewerThreadState,
} from './viewer-thread-calls.ts';

const REPORT_MS = 500;
/** A window without requests for this long is no longer mirrored: longer than players pause between two requests. */
const UNUSED_MS = 30_000;

export interface ViewerSideParts {
  readonly desk: () => BirpcReturn<DeskCalls, ViewerThreadCalls>;
  readonly clock: Clock;
  readonly log: Log;
}

export class ViewerSide {
  readonly sessions: LeasedSessions;
  readonly cameras: MirroredCameras;
  readonly #data: ViewerThreadData;
  readonly #parts: ViewerSideParts;
  readonly #traffic = new ShareTraffic();
  readonly #listener: HttpListener;
  readonly #door: ViewerDoor;
  readonly #touches = new Map<string, Touch>();
  #released: number[] = [];
  #timer: TimerHandle | null = null;

  constructor(data: ViewerThreadData, parts: ViewerSideParts) {
    const { clock, log, desk } = parts;
    this.#data = data;
    this.#parts = parts;
    this.sessions = new LeasedSessions(clock);
    this.cameras = new MirroredCameras({
      clock,
      limits: data.limits,
      sharedPaths: { key: new PathKey(Buffer.from(data.sharedPaths.key)), lifeMs: data.sharedPaths.lifeMs },
      onReleased: (hold) => this.#released.push(hold),
      onTouch: (cameraUuid, interest, urgency) => this.#touch(cameraUuid, interest, urgency),
    });
    this.#listener = new HttpListener({ ...data.listener, trustProxy: data.trustProxy, clock });
    this.#door = buildViewerDoor({
      listener: this.#listener,
      clock,
      log,
      sessions: this.sessions,
      cameras: this.cameras,
      traffic: this.#traffic,
      trustProxy: data.trustProxy,
      connections: data.connections,
      gateway: data.gateway,
      desk: {
        lease: (grantText, origin) => desk().lease(grantText, origin),
        follow: (cameraUuid, rendition) => desk().follow(cameraUuid, rendition),
      },
    });
  }

  async start(): Promise<number> {
    const { app } = this.#door;
    await listen(app, this.#data.listen, null, { reusePort: true });
    this.#report();
    return boundPort(app) ?? this.#data.listen.port;
  }

  setCertificate(certificate: ListenerCertificate): void {
    this.#listener.setCertificate(certificate);
  }

  leave(): void {
    this.#door.app.connectionTable.leave();
  }

  async close(): Promise<void> {
    await stopListening(this.#door.app, this.#parts.clock);
    this.#timer?.cancel();
    this.#report();
    this.#timer?.cancel();
  }

  #touch(cameraUuid: Ruuid, interest: Interest, urgency: Urgency): void {
    const key = cameraUuid + interest;
    const before = this.#touches.get(key)?.urgency;
    if (before === urgency) return;
    const most = before === undefined ? urgency : mostUrgent([before, urgency]);
    this.#touches.set(key, { cameraUuid, interest, urgency: most });
  }

  #report(): void {
    const { clock, desk } = this.#parts;
    const unused = this.cameras.closeUnused(clock.monoMs() - UNUSED_MS);
    if (unused.length > 0) void desk().unfollow.asEvent(unused);
    if (this.#released.length > 0) void desk().released.asEvent(this.#released);
    this.#released = [];
    void desk().report.asEvent(this.sessions.report(), [...this.#touches.values()], this.#state());
    this.#touches.clear();
    this.#timer = clock.after(REPORT_MS, () => this.#report());
  }

  #state(): ViewerThreadState {
    const { app, room, responses } = this.#door;
    return {
      connections: app.connectionTable.counts(),
      waiting: room.size,
      responses: responses.size,
      cuts: { ...responses.cuts() },
      playlists: this.#traffic.playlists,
      viewers: this.sessions.size,
      windows: this.cameras.windows,
      busySec: performance.eventLoopUtilization().active / 1_000,
    };
  }
}
