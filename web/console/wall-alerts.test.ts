import './page-address-fixture.ts';
import { describe, expect, it } from 'vitest';
import type { AlertList, PolicyAlert } from './alert-list.ts';
import { alertsBefore, lineText, waitingAlerts } from './wall-alerts.ts';

const alert = (at: number, deviceUuid = 'dock'): PolicyAlert =>
  ({ uuid: `alert ${at}`, deviceUuid, timestampMs: at }) as PolicyAlert;
const list = (times: readonly number[], isMore = false): AlertList => ({
  alerts: times.map((at) => alert(at)),
  isMore,
});
const everywhere = () => true;
const uuidsOf = (...given: Parameters<typeof waitingAlerts>) =>
  waitingAlerts(...given).alerts.map(({ uuid }) => uuid);

describe('alerts that come forward', () => {
  it('are those since watching began, newest first', () => {
    const before = alertsBefore(list([20, 10]));
    expect(uuidsOf(list([20, 10]), before, everywhere)).toEqual([]);
    expect(uuidsOf(list([40, 30, 20, 10]), before, everywhere)).toEqual(['alert 40', 'alert 30']);
    // A camera may report late.
    expect(uuidsOf(list([20, 15, 10]), before, everywhere)).toEqual(['alert 15']);
  });

  it('are not older ones that come into view when newer ones are acknowledged', () => {
    const before = alertsBefore(list([20, 19, 18], true));
    expect(uuidsOf(list([21, 18, 17, 16]), before, everywhere)).toEqual(['alert 21']);
  });

  it('are of the cameras that are watched', () => {
    const before = alertsBefore(list([]));
    const read = { alerts: [alert(3, 'gate'), alert(2), alert(1, 'gate')], isMore: false };
    expect(uuidsOf(read, before, (device) => device === 'dock')).toEqual(['alert 2']);
  });

  it('are counted, also if there are more than the page reads', () => {
    const before = alertsBefore(list([1]));
    const [all, more] = [list([9, 8, 7]), list([9, 8, 7], true)].map((read) =>
      waitingAlerts(read, before, everywhere),
    );
    expect([lineText(all!, 0), lineText(more!, 1)]).toEqual(['1 of 3 alerts', '2 of more than 3 alerts']);
    expect(lineText(waitingAlerts(list([9, 1], true), before, everywhere), 0)).toBe('1 alert');
  });
});
