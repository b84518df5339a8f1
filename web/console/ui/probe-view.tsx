/** Result of a camera's probe: its image, its streams, and suggested changes. */

import type { ProbedStream, ProbeReport } from '../camera-adding.ts';
import { bitRateText } from '../stream-state.ts';
import { Facts } from './facts.tsx';
import { Icon } from './icon.tsx';

type FaultReason = NonNullable<ProbedStream['errorReason']>;

/** Titles by reason of a failure (docs/guide/cameras.md). */
const FAULT_TITLES: Readonly<Record<FaultReason, string>> = {
  unreachable: 'The camera does not answer',
  'tls-failed': 'Its certificate was not accepted',
  'wrong-password': 'Wrong user name or password',
  'login-unsupported': 'It wants a login of an unknown kind',
  'wrong-path': 'There is no stream at this path',
  busy: 'The camera has no connection left',
  refused: 'The camera refused',
  'not-allowed': 'The gateway refused',
  unsupported: 'It sends nothing that can be played',
  silent: 'It connects, but sends nothing',
  frozen: 'Its picture is frozen',
  flood: 'It sends more than is allowed',
  disconnected: 'It ended the connection',
  protocol: 'It does not keep to the protocol',
  'no-worker': 'All workers are busy',
  gateway: 'The gateway could not try it',
};

export function faultTitle({ errorReason }: ProbedStream): string {
  return errorReason === undefined ? 'It does not work' : FAULT_TITLES[errorReason];
}

export function ProbeView({ report }: { readonly report: ProbeReport }) {
  const { main, sub, advice, snapshot } = report;
  return (
    <div class="probe">
      {snapshot != null && (
        <div class="picture">
          <img src={`data:image/jpeg;base64,${snapshot.imageData}`} alt="What the camera shows" />
        </div>
      )}
      <ProbedFacts title={sub == null ? 'Stream' : 'Main stream'} stream={main} />
      {sub != null && <ProbedFacts title="Substream" stream={sub} />}
      <AdviceList advice={advice} />
    </div>
  );
}

function ProbedFacts({ title, stream }: { readonly title: string; readonly stream: ProbedStream }) {
  if (!stream.works) {
    return (
      <section class="probed bad">
        <h3>
          {title}: {faultTitle(stream)}
        </h3>
        <p class="break">
          {stream.errorSentence} {stream.errorAdvice}
        </p>
        {stream.errorCode != null && <code>{stream.errorCode}</code>}
      </section>
    );
  }
  const { videoCodec, width, height, frameRate, bitsPerSec, keyFrameDistanceSec, audioCodec, transport } =
    stream;
  return (
    <section class="probed">
      <h3 class="done">
        <Icon name="check" /> {title}
      </h3>
      <Facts
        facts={[
          [
            'Video',
            videoCodec == null ? 'none' : videoCodec + (stream.needsWorker ? ', converted by a worker' : ''),
          ],
          ['Size', width == null || height == null ? null : `${width} × ${height}`],
          ['Frames', frameRate == null ? null : `${rounded(frameRate)} per second`],
          ['Bit rate', bitsPerSec == null ? null : bitRateText(bitsPerSec)],
          ['Key frame', keyFrameDistanceSec == null ? null : `every ${rounded(keyFrameDistanceSec)} s`],
          ['Sound', audioCodec ?? 'none'],
          ['Transport', transport == null ? null : transport.toUpperCase()],
        ]}
      />
    </section>
  );
}

function rounded(value: number): string {
  return String(Number(value.toFixed(1)));
}

export function AdviceList({ advice }: { readonly advice: ProbeReport['advice'] }) {
  if (advice.length === 0) return null;
  return (
    <section class="probe-advice">
      <h3>Worth changing in the camera</h3>
      <ul>
        {advice.map(({ code, profile, sentence }) => (
          <li key={`${code} ${profile}`}>
            {profile === 'sub' && <b>Substream: </b>}
            {sentence}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** All of it in one line. */
export function probeLine({ main, sub }: ProbeReport): string {
  if (!main.works) return faultTitle(main);
  const size = main.width == null ? '' : `${main.width} × ${main.height}`;
  const parts = [
    main.videoCodec ?? 'sound only',
    size,
    sub == null ? '' : sub.works ? 'substream' : 'substream fails',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
