/**
 * Sound and flash of new alerts: off until someone turns them on, and remembered in this browser. Of several tabs, one sounds: the first
 * whose sound the browser does not block.
 */

import { type Signal, signal } from '@preact/signals';
import { isWithin, STORM_MS } from './alert-toasts.ts';
import { gatewayNowMs } from './gateway-clock.ts';

export type AlertSignal = 'sound' | 'flash';

const KEYS: Readonly<Record<AlertSignal, string>> = {
  sound: 'sluice.alerts.sound',
  flash: 'sluice.alerts.flash',
};
/** When one of the tabs sounded. */
const LAST_SOUND_KEY = 'sluice.alerts.lastSound';
/** When one of the tabs saw that a storm continues. */
const LAST_STORM_KEY = 'sluice.alerts.lastStorm';
/** Between two sounds. */
const SOUND_GAP_MS = 10_000;
/** Without locks, which only secure pages have, a tab that is not in front lets the others decide first. */
const HIDDEN_WAIT_MS = 250;
/** An allowed sound starts within it. */
const RESUME_MS = 500;
const FLASH_MS = 3_000;
const BEEPS_HZ = [880, 660];
const BEEP_SEC = 0.16;
const LOUDNESS = 0.2;

export const alertSignals: Readonly<Record<AlertSignal, Signal<boolean>>> = {
  sound: signal(localStorage.getItem(KEYS.sound) === 'on'),
  flash: signal(localStorage.getItem(KEYS.flash) === 'on'),
};
/** Whether the edge of the page is lit. */
export const isFlashing = signal(false);
/** Browsers let a page make sound only after a click or a key. */
export const isSoundBlocked = signal(false);

/** Oscillators of the beep, until it ends. */
const sounding = new Set<OscillatorNode>();
let audio: AudioContext | null = null;
let flashTimer: ReturnType<typeof setTimeout> | null = null;

export function turnSignal(which: AlertSignal, isOn: boolean): void {
  alertSignals[which].value = isOn;
  localStorage.setItem(KEYS[which], isOn ? 'on' : 'off');
  // The press that turns it on is what the browser waits for.
  if (isOn && which === 'sound') void unlocked().then(beep);
  else if (isOn) flash();
  else if (which === 'sound') isSoundBlocked.value = false;
}

// Some browsers allow sound only from the press itself.
if (alertSignals.sound.value) awaitPress();

// Another tab turned it on or off.
addEventListener('storage', ({ key, newValue }) => {
  for (const which of ['sound', 'flash'] as const) {
    if (key === KEYS[which]) alertSignals[which].value = newValue === 'on';
  }
});

/** New alerts. `isStorm`: there was a sound for them already. `beginsStorm`: there are many, and there was none. */
export function announceAlerts({ isStorm, beginsStorm }: { isStorm: boolean; beginsStorm: boolean }): void {
  if (alertSignals.flash.value) flash();
  if (!alertSignals.sound.value) return;
  if (isStorm) noteStorm();
  else void sound(beginsStorm);
}

function noteStorm(): void {
  localStorage.setItem(LAST_STORM_KEY, String(gatewayNowMs()));
}

/** Ends the signals after someone acknowledged the alert. */
export function endSignals(): void {
  if (flashTimer !== null) clearTimeout(flashTimer);
  isFlashing.value = false;
  for (const oscillator of sounding) oscillator.stop();
}

function flash(): void {
  if (flashTimer !== null) clearTimeout(flashTimer);
  isFlashing.value = true;
  flashTimer = setTimeout(() => {
    isFlashing.value = false;
  }, FLASH_MS);
}

async function sound(beginsStorm: boolean): Promise<void> {
  const isUnlocked = unlocked().then(() => true);
  const isLate = new Promise<false>((resolve) => setTimeout(() => resolve(false), RESUME_MS));
  if (await Promise.race([isUnlocked, isLate])) {
    if (await isOurTurn(beginsStorm)) beep();
    return;
  }
  // A press counts for the next alert: a sound that waited for it would say nothing of now.
  isSoundBlocked.value = true;
  awaitPress();
}

function awaitPress(): void {
  for (const kind of ['pointerdown', 'keydown'])
    addEventListener(kind, () => void unlocked(), { once: true });
}

/** Resolves when the browser lets the page sound: after a press. */
async function unlocked(): Promise<void> {
  audio ??= new AudioContext();
  await audio.resume();
  isSoundBlocked.value = false;
}

/** Whether this tab sounds, and no other one. */
async function isOurTurn(beginsStorm: boolean): Promise<boolean> {
  if ('locks' in navigator) return takenWithLock(beginsStorm);
  if (document.hidden) await new Promise((resolve) => setTimeout(resolve, HIDDEN_WAIT_MS));
  return taken(beginsStorm);
}

/** The tab that sounds keeps the lock until the next sound may come: tabs learn late what another one stored. */
function takenWithLock(beginsStorm: boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const decided = async (lock: Lock | null): Promise<void> => {
      const isOurs = lock !== null && taken(beginsStorm);
      resolve(isOurs);
      const keptMs = beginsStorm ? STORM_MS : SOUND_GAP_MS;
      if (isOurs) await new Promise((over) => setTimeout(over, keptMs));
    };
    navigator.locks.request(LAST_SOUND_KEY, { ifAvailable: true }, decided).catch(reject);
  });
}

function taken(beginsStorm: boolean): boolean {
  const nowMs = gatewayNowMs();
  if (isWithin(timeAt(LAST_SOUND_KEY), nowMs, SOUND_GAP_MS)) return false;
  // A tab in the background can learn of a storm later than the one that sounded.
  if (isWithin(timeAt(LAST_STORM_KEY), nowMs, STORM_MS)) return false;
  localStorage.setItem(LAST_SOUND_KEY, String(nowMs));
  // This tab may read them all together, and learn no more of the storm.
  if (beginsStorm) noteStorm();
  return true;
}

/** NaN: never. */
function timeAt(key: string): number {
  return Number.parseInt(localStorage.getItem(key) ?? '', 10);
}

function beep(): void {
  const context = audio!;
  for (const [index, hz] of BEEPS_HZ.entries()) {
    const oscillator = context.createOscillator();
    const loudness = context.createGain();
    const startSec = context.currentTime + index * BEEP_SEC;
    oscillator.frequency.value = hz;
    loudness.gain.setValueAtTime(LOUDNESS, startSec);
    loudness.gain.exponentialRampToValueAtTime(0.001, startSec + BEEP_SEC);
    oscillator.connect(loudness).connect(context.destination);
    sounding.add(oscillator);
    oscillator.onended = () => sounding.delete(oscillator);
    oscillator.start(startSec);
    oscillator.stop(startSec + BEEP_SEC);
  }
}
