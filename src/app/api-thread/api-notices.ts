/** Passes reports of the gateway's thread to the parts of the API's thread. */

import { endedUuid } from '../../accounts/ended-credentials.ts';
import type { Clips } from '../../clips/clips.ts';
import type { CameraEvents } from '../../policies/camera-events.ts';
import { ChangeFollower } from '../../realtime/change-follower.ts';
import { ChangeTopics } from '../../realtime/change-topics.ts';
import { LimitedChanges } from '../../realtime/limited-changes.ts';
import type { ChangeFeed } from '../../store/change-feed.ts';
import { ScopeViews } from '../../store/scope-views.ts';
import type { Store } from '../../store/store.ts';
import type { ApiCameras } from './api-cameras.ts';
import type { ApiSideOptions } from './api-side-options.ts';
import type { Notice } from './thread-calls.ts';

interface NoticeTakers {
  readonly gatewayChanges: ChangeFeed;
  readonly endedCredentials: Set<string>;
  readonly cameras: ApiCameras;
  readonly cameraEvents: CameraEvents;
  readonly clips: Clips;
  readonly realtime: ApiRealtime;
  /** Loads again what follows changes. */
  readonly loadAgain: () => void;
}

export interface ApiRealtime {
  readonly topics: ChangeTopics;
  readonly changes: ChangeFollower;
  /** What callers with limited rights see. */
  readonly views: ScopeViews;
}

/** The real-time stream. */
export async function startRealtime(
  { now, clock, log, cleanup }: ApiSideOptions,
  store: Store,
): Promise<ApiRealtime> {
  const views = new ScopeViews(store);
  cleanup.add('limited rights', async () => views.close());
  const limited = new LimitedChanges({ views, store });
  const topics = new ChangeTopics({ clock, log, onChange: (listener) => store.onChange(listener), limited });
  cleanup.add('real-time stream', () => topics.close());
  const changes = await ChangeFollower.start({ store, topics });
  cleanup.add('real-time changes', () => changes.close());
  for (const { cameraUuid, report } of now.cameras) changes.cameraStatusChanged(cameraUuid, report);
  return { topics, changes, views };
}

export function takeNotice(notice: Notice, takers: NoticeTakers): void {
  const { gatewayChanges, endedCredentials, cameras, cameraEvents, clips, loadAgain } = takers;
  const { topics, changes } = takers.realtime;
  switch (notice.kind) {
    case 'change':
      gatewayChanges.publish(notice.change);
      break;
    case 'endedCredentials':
      endedCredentials.clear();
      for (const name of notice.names) {
        endedCredentials.add(name);
        topics.credentialEnded(endedUuid(name));
      }
      break;
    case 'missed':
      topics.changesMissed();
      takers.realtime.views.refresh();
      loadAgain();
      break;
    case 'camera':
      cameras.reported(notice.cameraUuid, notice);
      if (notice.report !== null) changes.cameraStatusChanged(notice.cameraUuid, notice.report);
      break;
    case 'sound':
      cameras.sounds.set(notice.cameraUuid, notice.sound);
      break;
    case 'clock':
      cameras.clocks.set(notice.cameraUuid, notice.reading);
      break;
    case 'signing':
      cameras.signings.set(notice.cameraUuid, notice.signing);
      break;
    case 'recording':
      cameras.recordings.set(notice.cameraUuid, notice.recording);
      changes.recordingChanged(notice.cameraUuid, notice.recording);
      break;
    case 'placed':
      cameraEvents.placed(notice.cameraUuids, notice.isHere);
      break;
    case 'clipsTooMany':
      void clips.makeRoom(notice.orgUuid, notice.byteLength);
      break;
    case 'viewer':
      changes.viewerChanged(notice.viewer);
      break;
    case 'viewersMissed':
      topics.changesMissed();
  }
}
