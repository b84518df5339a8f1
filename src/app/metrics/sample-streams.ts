/** Samples the open streams of all cameras for the API's thread (src/devices/stream-samples.ts). In slices. */

import { SlicedWork } from '../../core/sliced-work.ts';
import {
  type PackedStreamSamples,
  type StreamSample,
  StreamSamplePacker,
} from '../../devices/stream-samples.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type { StreamHub } from '../../stream/hub.ts';
import type { PublishedMedia } from '../../stream/packaging/packaging.ts';
import type { ProfileStream } from '../../stream/profile-stream.ts';

export async function sampleStreams(
  hub: Pick<StreamHub, 'all'>,
  sessions: Pick<ViewerSessions, 'viewersByCamera'>,
): Promise<PackedStreamSamples> {
  const packer = new StreamSamplePacker();
  const work = new SlicedWork();
  for (const camera of [...hub.all()]) {
    for (const profile of camera.profiles()) {
      const { name } = profile;
      const sample = name === 'h264' ? null : sampleOf(profile);
      if (name !== 'h264' && sample !== null) packer.stream(camera.uuid, name, sample);
    }
    if (work.step()) await work.pause();
  }
  for (const [cameraUuid, viewers] of [...sessions.viewersByCamera()]) {
    if (viewers > 0) packer.watched(cameraUuid, viewers);
    if (work.step()) await work.pause();
  }
  return packer.packed();
}

/** null: it is closed, or has shown nothing yet. */
function sampleOf(profile: ProfileStream): StreamSample | null {
  let droppedFrames = 0;
  let known: ReturnType<PublishedMedia['properties']> = null;
  for (const { packager } of profile.renditions.named()) {
    droppedFrames = Math.max(droppedFrames, packager.stats().droppedFrames);
    const properties = packager.published.properties();
    // The one with audio says more.
    if (properties !== null && properties.codecs.length > (known?.codecs.length ?? 0)) known = properties;
  }
  if (known === null) return null;
  return {
    codecs: known.codecs,
    widthPx: known.widthPx,
    heightPx: known.heightPx,
    frameRateHz: known.frameRateHz,
    bitsPerSec: known.averageBitsPerSec,
    keyFrameDistanceMs: profile.keys.distanceMs,
    droppedFrames: profile.drops.lostFrames + droppedFrames,
    clockDriftPpm: profile.clockReading?.driftPpm ?? null,
    hasWorker: profile.hasWorker,
  };
}
