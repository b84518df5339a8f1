/** One channel of a video recorder: its picture, its name, whether it is added, and how far that is. */

import { useId } from 'preact/hooks';
import { cameraPlace } from '../camera-places.ts';
import { type Channel, isAddable } from '../recorder-channels.ts';
import { t, tRich } from '../words.ts';
import { Icon } from './icon.tsx';

const MAX_NAME_CHARS = 256;

export interface ChannelCardProps {
  readonly channel: Channel;
  readonly isAdding: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onName: (name: string) => void;
  readonly onRetry: () => void;
}

export function ChannelCard({ channel, isAdding, onChoose, onName, onRetry }: ChannelCardProps) {
  const id = useId();
  const { number, name, isChosen, streams, step } = channel;
  const canBeAdded = isAddable({ ...channel, isChosen: true });
  return (
    <li
      class={`channel ${isChosen && canBeAdded ? 'chosen' : ''}`}
      aria-label={t('Channel {number}', { number })}
    >
      <label class="picture" for={id}>
        <ChannelPicture channel={channel} />
        {canBeAdded && (
          <input
            id={id}
            type="checkbox"
            aria-label={t('Add channel {number}', { number })}
            checked={isChosen}
            disabled={isAdding}
            onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
          />
        )}
      </label>
      {canBeAdded ? (
        <input
          type="text"
          aria-label={t('Name of channel {number}', { number })}
          maxLength={MAX_NAME_CHARS}
          disabled={isAdding}
          value={name}
          onInput={({ currentTarget }) => onName(currentTarget.value)}
        />
      ) : (
        <b class="break">{name}</b>
      )}
      {streams !== '' && <p class="hint">{streams}</p>}
      <ChannelState step={step} name={name} />
      {step.kind === 'failed' && !isAdding && (
        <button
          type="button"
          class="quiet"
          aria-label={t('Try again: channel {number}', { number })}
          onClick={onRetry}
        >
          {t('Try again')}
        </button>
      )}
    </li>
  );
}

function ChannelPicture({ channel: { number, name, step } }: { readonly channel: Channel }) {
  if (step.kind === 'works' && step.report.snapshot !== undefined) {
    return (
      <img
        src={`data:image/jpeg;base64,${step.report.snapshot.imageData}`}
        alt={t('What {name} shows', { name })}
      />
    );
  }
  const text =
    step.kind === 'waiting' || step.kind === 'opening'
      ? t('Channel {number}…', { number })
      : t('Channel {number}', { number });
  return <span class="no-picture">{text}</span>;
}

function ChannelState({ step, name }: { readonly step: Channel['step']; readonly name: string }) {
  switch (step.kind) {
    case 'waiting':
    case 'opening':
    case 'works':
      return null;
    case 'failed':
      return <p class="trouble break">{step.sentence}</p>;
    case 'refused':
      return (
        <p class="trouble break" role="alert">
          {t('Not added: {sentence}', { sentence: step.sentence })}
        </p>
      );
    case 'adding':
      return <p class="hint">{t('Adding it…')}</p>;
    case 'known':
      return (
        <p class="done">
          <Icon name="check" />{' '}
          {tRich('Already added. <link>Open it</link>', {
            link: (text) => <a href={cameraPlace(step.cameraUuid)}>{text}</a>,
          })}
        </p>
      );
    case 'added':
      return (
        <p class="done">
          <Icon name="check" />{' '}
          {tRich('Added. <link>Open {name}</link>', {
            name,
            link: (text) => <a href={cameraPlace(step.cameraUuid)}>{text}</a>,
          })}
        </p>
      );
  }
}
