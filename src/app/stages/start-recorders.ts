/** What video recorders have, as the gateway wires it: after the recordings, before the listener for viewers. */

import type { Cluster } from '../../cluster/cluster.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { openArchive } from '../../recorders/open-archive.ts';
import { RecorderPast } from '../../recorders/recorder-past.ts';
import { RECORDED_RENDITION } from '../../recording/recorded-cameras.ts';
import { CameraSoundPaths } from '../../sources/sound/camera-sound.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { recordedChannels } from '../config/recorded-channels.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { MediaStage } from './start-media.ts';
import type { StoreStage } from './start-store.ts';

export async function startRecorders(
  { config, clock, log }: GatewayOptions,
  {
    stored: { store },
    media: { recording },
    cluster,
  }: {
    readonly stored: StoreStage;
    readonly media: MediaStage;
    readonly cluster: Cluster | null;
  },
  onForgotten: (cameraUuid: Ruuid) => void,
  cleanup: Cleanup,
): Promise<RecorderPast> {
  // Audio that needs a worker is left out: workers are for live viewers.
  const sound = new CameraSoundPaths(clock, null);
  const recorders = new RecorderPast({
    openArchive: (channel) => openArchive(channel, { clock, sound }),
    imports: recording.pulls,
    remove: (files) => recording.removePulled(files),
    ownSpans: (cameraUuid, fromMs, toMs) =>
      recording.media.spans({ cameraUuid, rendition: RECORDED_RENDITION }, fromMs, toMs, OWN_JOIN_MS),
    onForgotten,
    sound,
    clock,
    log,
  });
  cleanup.add('video recorders', () => recorders.close());
  // Copies of an earlier run: nothing knows anymore what they are copies of. Other nodes may have made some just now.
  if (cluster === null) {
    await removeCopies(store, recording).catch((thrown) => {
      log.error({ err: toGatewayError(thrown) }, 'pulled recordings not deleted');
    });
  }
  await recorders.configure(recordedChannels(config, DEFAULT_ORG_UUID));
  return recorders;
}

/** Frames that arrive late are no gap. */
const OWN_JOIN_MS = 1_000;

async function removeCopies(
  { recordings }: StoreStage['store'],
  { removePulled }: MediaStage['recording'],
): Promise<void> {
  for (const { cameraUuid, rendition } of await recordings.usage()) {
    if (rendition !== 'pulled') continue;
    const numbers = await recordings.numbers({ cameraUuid, rendition });
    await removePulled(numbers.map((number) => ({ cameraUuid, rendition, number })));
  }
}
