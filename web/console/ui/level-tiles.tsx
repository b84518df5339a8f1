/** The four figures of the service levels, with their goals and the rest of their budgets. */

import type { ComponentChildren } from 'preact';
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
        title="First picture"
        figure={shortMs(day.firstPictureP95Ms)}
        unit="for 95 %"
        about={`Half of them within ${shortMs(day.firstPictureP50Ms) ?? '–'}`}
        goal={goalOf('firstPicture')}
        promise={`within ${shortMs(levels.firstPictureWithinMs)}`}
      />
      <Tile
        title="Behind live"
        figure={shortMs(day.delayP95Ms)}
        unit="for 95 %"
        about={`Half of the time within ${shortMs(day.delayP50Ms) ?? '–'}`}
        goal={goalOf('delay')}
        promise={`within ${shortMs(levels.delayWithinMs)}`}
      />
      <Tile
        title="Stalls"
        figure={percent(stalledPercent(day))}
        unit="of the time"
        about={`${day.stalls.toLocaleString()} in ${hoursText(day.playedSec + day.stalledSec)}`}
        goal={goalOf('stalls')}
        promise="playing"
      />
      <Tile
        title="Failed requests"
        figure={percent(failedPercent(day))}
        unit="of all"
        about={`${day.failedRequests.toLocaleString()} of ${day.requests.toLocaleString()}`}
        goal={goalOf('errors')}
        promise="answered"
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
        {figure === null ? <small>Nothing measured</small> : <Figure value={figure} unit={unit} />}
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
        Goal: {goalText(targetPercent)} {promise}
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
        <b>{isMet ? 'Met' : 'Missed'}</b>
      </p>
      <div class={`budget ${leftPercent < LOW_BUDGET_PERCENT ? 'low' : ''}`} aria-hidden="true">
        <span style={{ width: `${leftPercent}%` }} />
      </div>
      <p>
        Goal {goalText(targetPercent)},{' '}
        {isMet ? `${Math.round(leftPercent)} % of the budget left` : 'the budget is used up'}
      </p>
    </>
  );
}

/** As in "40 min" and "5.3 h". */
function hoursText(sec: number): string {
  if (sec < 60) return `${Math.round(sec)} s`;
  return sec < 3_600 ? `${Math.round(sec / 60)} min` : `${(sec / 3_600).toFixed(1)} h`;
}
