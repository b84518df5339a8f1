/** When a part begins and how long it lasts, in ticks of its own media. */

import type { AudioLane } from './audio-lane.ts';
import type { PackagedTracks } from './packaged-tracks.ts';
import type { CmafPart } from './part.ts';
import { convertTicks } from './ticks.ts';

/** The part's times, given its video's: those of the video, or of the audio if the part has only audio. */
export function partTime(
  { pace, hasVideo, audio }: PackagedTracks,
  lane: AudioLane | null,
  startTicks: number,
  durationTicks: number,
): Pick<CmafPart, 'timescaleHz' | 'startTicks' | 'durationTicks'> {
  const { timescaleHz } = pace;
  if (hasVideo || lane === null) return { timescaleHz, startTicks, durationTicks };
  const audioHz = audio!.timescaleHz;
  const { sampleCount, startTicks: takenFromTicks } = lane.fragment.run;
  const audioTicks = sampleCount > 0 ? takenFromTicks : convertTicks(startTicks, timescaleHz, audioHz);
  return { timescaleHz: audioHz, startTicks: audioTicks, durationTicks: lane.takenTicks };
}
