/** Result of a camera's probe: its image, its streams, and suggested changes. */

import type { ProbedStream, ProbeReport } from '../camera-adding.ts';
import { FAULT_TITLES } from '../fault-words.ts';
import { bitRateText } from '../stream-state.ts';
import { t } from '../words.ts';
import { Facts } from './facts.tsx';
import { Icon } from './icon.tsx';

/** Titles by reason of a failure (docs/guide/cameras.md). */
export function faultTitle({ errorReason }: ProbedStream): string {
  return errorReason === undefined ? t('It does not work') : FAULT_TITLES[errorReason];
}

export function ProbeView({ report }: { readonly report: ProbeReport }) {
  const { main, sub, advice, snapshot } = report;
  return (
    <div class="probe">
      {snapshot != null && (
        <div class="picture">
          <img src={`data:image/jpeg;base64,${snapshot.imageData}`} alt={t('What the camera shows')} />
        </div>
      )}
      <ProbedFacts title={sub == null ? t('Stream') : t('Main stream')} stream={main} />
      {sub != null && <ProbedFacts title={t('Substream')} stream={sub} />}
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
            t('Video'),
            videoCodec == null
              ? t('none')
              : stream.needsWorker
                ? t('{codec}, converted by the gateway', { codec: videoCodec })
                : videoCodec,
          ],
          [t('Size'), width == null || height == null ? null : `${width} × ${height}`],
          [
            t('Frames'),
            frameRate == null ? null : t('{rounded} per second', { rounded: rounded(frameRate) }),
          ],
          [t('Bit rate'), bitsPerSec == null ? null : bitRateText(bitsPerSec)],
          [
            t('Key frame'),
            keyFrameDistanceSec == null
              ? null
              : t('every {rounded} s', { rounded: rounded(keyFrameDistanceSec) }),
          ],
          [t('Sound'), audioCodec ?? t('none')],
          [t('Transport'), transport == null ? null : transport.toUpperCase()],
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
      <h3>{t('Worth changing in the camera')}</h3>
      <ul>
        {advice.map(({ code, profile, sentence }) => (
          <li key={`${code} ${profile}`}>
            {profile === 'sub' && <b>{t('Substream:')} </b>}
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
    main.videoCodec ?? t('sound only'),
    size,
    sub == null ? '' : sub.works ? t('substream') : t('substream fails'),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
