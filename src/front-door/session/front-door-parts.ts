/** The objects that the front door's routes work with. */

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Counters } from '../../counters/counters.ts';
import type { KnownDevice, PrincipalActor } from '../../sharing/device-rows.ts';
import type { ShareGate } from '../../sharing/share-gate.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type { Share } from '../../store/entities.ts';
import type { LiveCameras } from '../../stream/media/live-media.ts';
import type { MediaAnswers } from '../response/media-answers.ts';
import type { ShareTraffic } from '../response/share-traffic.ts';
import type { WaitingRoom } from '../response/waiting-reply.ts';
import type { HeldStills, Stills } from './stills.ts';
import type { ViewerSignIn } from './viewer-sign-in.ts';

/** Who opened a share or a device, as far as that is known. */
export interface ShareViewer {
  /** Who signed in to watch a share; absent or null: no one did. */
  readonly email?: string | null;
  readonly address: string;
  readonly userAgent: string | null;
}

/** A device that was opened without a share, and the key or person whose rights were used. */
export interface DeviceOpening {
  readonly device: KnownDevice;
  readonly actor: PrincipalActor;
  /** For what was recorded, not for live. */
  readonly isPast: boolean;
}

export interface FrontDoorParts {
  readonly gate: ShareGate;
  readonly sessions: ViewerSessions;
  readonly cameras: LiveCameras;
  readonly stills: Stills;
  readonly heldStills: HeldStills;
  readonly traffic: ShareTraffic;
  readonly counters: Pick<Counters, 'viewerCounts'>;
  readonly room: WaitingRoom;
  readonly answers: MediaAnswers;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every viewer that is admitted. */
  readonly onShareOpened: (share: Share, viewer: ShareViewer) => void;
  readonly onDeviceOpened: (opening: DeviceOpening, viewer: ShareViewer) => void;
  /** Path under which viewers reach the front door, without a trailing slash; '' at the root. */
  readonly basePath: string;
  /** A viewer of a share says how its playback went; null: pages are not asked. The body is as it came. */
  readonly onViewerReport: ((session: ViewerSession, body: unknown) => void) | null;
  /** Signing in to watch shares; null: there is no provider. */
  readonly viewerSignIn: ViewerSignIn | null;
}
