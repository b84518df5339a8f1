/** For those who still look for it here. */

export { KeyedLock } from '../core/keyed-lock.ts';
