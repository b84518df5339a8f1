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
import type { MediaResponses } from '../response/media-responses.ts';
import type { ShareTraffic } from '../response/share-traffic.ts';
import type { WaitingRoom } from '../response/waiting-reply.ts';
import type { HeldStills, Stills } from './stills.ts';
import type { ViewerSignIn } from './viewer-sign-in.ts';

/** The viewer who opened a share or a device, as far as that is known. */
export interface ShareViewer {
  /** The address of a viewer who signed in to watch a share; absent or null: the viewer did not sign in. */
  readonly email?: string | null;
  readonly address: string;
  readonly userAgent: string | null;
}

/** A device that was opened without a share, and the key or person whose rights were used. */
export interface DeviceOpening {
  readonly device: KnownDevice;
  readonly actor: PrincipalActor;
  /** The viewer opened recorded video, not live. */
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
  readonly responses: MediaResponses;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every viewer that is admitted. */
  readonly onShareOpened: (share: Share, viewer: ShareViewer) => void;
  readonly onDeviceOpened: (opening: DeviceOpening, viewer: ShareViewer) => void;
  /** Path under which viewers reach the front door, without a trailing slash; '' at the root. */
  readonly basePath: string;
  /** Receives a viewer's report about its playback; null: pages do not report. The body is unchecked. */
  readonly onViewerReport: ((session: ViewerSession, body: unknown) => void) | null;
  /** SHA-256 of the certificate that vouches for live video, hexadecimal; null: live video is not signed. */
  readonly liveSigner: string | null;
  /** Viewers who are allowed to can talk to cameras. */
  readonly carriesTalk: boolean;
  /** The sign-in to watch shares; null: there is no provider. */
  readonly viewerSignIn: ViewerSignIn | null;
}
