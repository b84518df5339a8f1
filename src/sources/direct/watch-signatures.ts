/** Looks for the signatures of a camera in the video that it sends. */

import { SigningWatch } from '../../codec/media-signing/signing-watch.ts';
import type { Clock } from '../../core/clock.ts';
import type { ReadyTrack } from '../../rtsp/client-session-events.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';

/** `anchors`: as DirectRtspOptions.signingAnchors. null: no one wants to know, or the video is neither H.264 nor H.265. */
export function watchSignatures(
  tracks: readonly ReadyTrack[],
  anchors: string | null,
  { clock, sink }: { readonly clock: Clock; readonly sink: SourceSink },
): SigningWatch | null {
  const codec = tracks
    .map(({ selected }) => selected.encoding)
    .find((encoding) => encoding === 'h264' || encoding === 'h265');
  if (anchors === null || codec === undefined) return null;
  const epochMinusMonoMs = clock.epochMs() - clock.monoMs();
  return new SigningWatch({ codec, anchors, epochMinusMonoMs, onNews: (news) => sink.onSigning(news) });
}
