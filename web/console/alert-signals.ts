/** Sound and flash of new alerts: off until someone turns them on, and remembered in this browser. */

import { type Signal, signal } from '@preact/signals';

export type AlertSignal = 'sound' | 'flash';

const KEYS: Readonly<Record<AlertSignal, string>> = {
  sound: 'sluice.alerts.sound',
  flash: 'sluice.alerts.flash',
};
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
  if (isOn) give(which);
  else if (which === 'sound') isSoundBlocked.value = false;
}

/** A new alert: whatever is turned on. */
export function announceAlert(): void {
  for (const which of ['sound', 'flash'] as const) if (alertSignals[which].value) give(which);
}

/** Ends the signals after someone acknowledged the alert. */
export function endSignals(): void {
  if (flashTimer !== null) clearTimeout(flashTimer);
  isFlashing.value = false;
  for (const oscillator of sounding) oscillator.stop();
}

function give(which: AlertSignal): void {
  if (which === 'flash') flash();
  else void beep();
}

function flash(): void {
  if (flashTimer !== null) clearTimeout(flashTimer);
  isFlashing.value = true;
  flashTimer = setTimeout(() => {
    isFlashing.value = false;
  }, FLASH_MS);
}

async function beep(): Promise<void> {
  // One beep waits for the click already.
  if (isSoundBlocked.value) return;
  audio ??= new AudioContext();
  const context = audio;
  if (context.state === 'suspended') {
    isSoundBlocked.value = true;
    addEventListener('pointerdown', () => void context.resume(), { once: true });
    await context.resume();
    isSoundBlocked.value = false;
  }
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
