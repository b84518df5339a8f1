/** Child module: the front door with one share of a camera that does not stream, and its recorded past. */

import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { MovieMaker } from '../../src/playback/movie-maker.ts';
import { movieThread } from '../../src/playback/movie-thread.ts';
import { PastPlayback } from '../../src/playback/past-playback.ts';
import { RangeMovies } from '../../src/playback/range-movies.ts';
import { readThread } from '../../src/playback/read-thread.ts';
import { recordedMedia } from '../../src/playback/recorded-media.ts';
import { RecordingReads } from '../../src/playback/recording-reads.ts';
import { RECORDED_RENDITION } from '../../src/recording/recorded-cameras.ts';
import { RecordingFinder } from '../../src/recording/recording-finder.ts';
import type { RecordedStream } from '../../src/recording/segment-index.ts';
import { startBenchFrontDoor } from '../support/bench-front-door.ts';
import { createBenchHub } from '../support/bench-hub.ts';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';
import { recordPast } from '../support/recorded-past.ts';

export interface PlaybackGatewayCalls {
  /** Records `seconds` into `folder`. `paths`: of the range, one for each viewer, with a slash at the end. */
  start(options: {
    readonly folder: string;
    readonly seconds: number;
    readonly viewers: number;
  }): Promise<{ readonly port: number; readonly fromSec: number; readonly paths: readonly string[] }>;
  usage(nothing: null): ProcessUsage;
}

const HOUR_MS = 3_600_000;
const KEY_BYTES = 32;
const MS_PER_SEC = 1_000;

const calls: PlaybackGatewayCalls = {
  async start({ folder, seconds, viewers }) {
    const stream: RecordedStream = { cameraUuid: newRuuid(), rendition: RECORDED_RENDITION };
    const fromSec = Math.floor((systemClock.epochMs() - HOUR_MS) / MS_PER_SEC);
    const files = await recordPast(folder, stream, fromSec * MS_PER_SEC, seconds);
    const places = new RecordingFinder({
      recordings: { list: async () => [], firstFrom: async () => null, hours: async () => [] },
      unlisted: ({ rendition }) => (rendition === RECORDED_RENDITION ? files : []),
    });
    const common = { clock: systemClock, log: silentLog };
    const storage = { folder, key: Buffer.alloc(KEY_BYTES), s3: null };
    const reads = new RecordingReads({ ...common, launch: readThread(storage) });
    const media = recordedMedia(places, reads, systemClock);
    const maker = new MovieMaker({ ...common, launch: movieThread('movies', { storage, minFreeBytes: 0 }) });
    const frontDoor = await startBenchFrontDoor(createBenchHub({}), stream.cameraUuid, {
      playback: new PastPlayback({ media, clock: systemClock }),
      movies: new RangeMovies({ media, maker, clock: systemClock }),
      media,
    });
    const paths: string[] = [];
    for (let viewer = 0; viewer < viewers; viewer++) {
      paths.push(`${await frontDoor.openShare()}vod/${fromSec}/${seconds}/`);
    }
    return { port: frontDoor.port, fromSec, paths };
  },
  usage: processUsage,
};

responseParent(calls);
