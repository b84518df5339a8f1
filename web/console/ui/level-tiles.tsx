/** The four figures of the service levels, with their goals and the rest of their budgets. */

import type { ComponentChildren } from 'preact';
import { numberText } from '../../words/formats.ts';
import {
  failedPercent,
  goalText,
  type LevelGoal,
  type MeasuredLevels,
  percentText,
  type ServiceLevels,
  shortMs,
  stalledPercent,
} from '../measured-levels.ts';
import { t } from '../words.ts';

/** Less than this is worth a look. */
const LOW_BUDGET_PERCENT = 25;

export function LevelTiles({
  levels,
  measured,
}: {
  readonly levels: ServiceLevels;
  readonly measured: MeasuredLevels;
}) {
  const { day, goals } = measured;
  const goalOf = (name: LevelGoal['goal']) => goals.find(({ goal }) => goal === name);
  const percent = (value: number | null) => (value === null ? null : percentText(value));
  return (
    <div class="level-tiles">
      <Tile
        title={t('First picture')}
        figure={shortMs(day.firstPictureP95Ms)}
        unit={t('for 95 %')}
        about={t('Half of them within {shortMs}', { shortMs: shortMs(day.firstPictureP50Ms) ?? '–' })}
        goal={goalOf('firstPicture')}
        promise={t('within {shortMs}', { shortMs: shortMs(levels.firstPictureWithinMs) ?? '–' })}
      />
      <Tile
        title={t('Behind live')}
        figure={shortMs(day.delayP95Ms)}
        unit={t('for 95 %')}
        about={t('Half of the time within {shortMs}', { shortMs: shortMs(day.delayP50Ms) ?? '–' })}
        goal={goalOf('delay')}
        promise={t('within {shortMs}', { shortMs: shortMs(levels.delayWithinMs) ?? '–' })}
      />
      <Tile
        title={t('Stalls')}
        figure={percent(stalledPercent(day))}
        unit={t('of the time')}
        about={t('{stalls} in {hours}', {
          stalls: numberText(day.stalls),
          hours: hoursText(day.playedSec + day.stalledSec),
        })}
        goal={goalOf('stalls')}
        promise={t('playing')}
      />
      <Tile
        title={t('Failed requests')}
        figure={percent(failedPercent(day))}
        unit={t('of all')}
        about={t('{failedRequests} of {requests}', {
          failedRequests: numberText(day.failedRequests),
          requests: numberText(day.requests),
        })}
        goal={goalOf('errors')}
        promise={t('answered')}
      />
    </div>
  );
}

function Tile({
  title,
  figure,
  unit,
  about,
  goal,
  promise,
}: {
  readonly title: string;
  readonly figure: string | null;
  readonly unit: string;
  readonly about: string;
  readonly goal: LevelGoal | undefined;
  /** Text after the goal's percentage, such as `playing`. */
  readonly promise: string;
}) {
  return (
    <section class="level-tile">
      <h3>{title}</h3>
      <p class="figure">
        {figure === null ? <small>{t('Nothing measured')}</small> : <Figure value={figure} unit={unit} />}
      </p>
      <p>{figure === null ? '' : about}</p>
      {goal !== undefined && <Goal goal={goal} promise={promise} />}
    </section>
  );
}

function Figure({ value, unit }: { readonly value: string; readonly unit: string }): ComponentChildren {
  return (
    <>
      {value} <small>{unit}</small>
    </>
  );
}

function Goal({
  goal: { targetPercent, attainedPercent, budgetLeftPercent },
  promise,
}: {
  readonly goal: LevelGoal;
  readonly promise: string;
}) {
  if (attainedPercent === undefined) {
    return (
      <p class="level-goal unknown">
        {t('Goal: {goal} {promise}', { goal: goalText(targetPercent), promise })}
      </p>
    );
  }
  const isMet = attainedPercent >= targetPercent;
  const leftPercent = Math.max(0, Math.min(100, budgetLeftPercent ?? (isMet ? 100 : 0)));
  return (
    <>
      <p class={`level-goal ${isMet ? '' : 'missed'}`}>
        <span>
          {percentText(attainedPercent)} {promise}
        </span>
        <b>{isMet ? t('Met') : t('Missed')}</b>
      </p>
      <div class={`budget ${leftPercent < LOW_BUDGET_PERCENT ? 'low' : ''}`} aria-hidden="true">
        <span style={{ width: `${leftPercent}%` }} />
      </div>
      <p>
        {isMet
          ? t('Goal {goal}, {left} % of the budget left', {
              goal: goalText(targetPercent),
              left: Math.round(leftPercent),
            })
          : t('Goal {goal}, the budget is used up', { goal: goalText(targetPercent) })}
      </p>
    </>
  );
}

/** As in "40 min" and "5.3 h". */
function hoursText(sec: number): string {
  if (sec < 60) return `${Math.round(sec)} s`;
  return sec < 3_600 ? `${Math.round(sec / 60)} min` : `${(sec / 3_600).toFixed(1)} h`;
}
