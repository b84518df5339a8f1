/** How many requests the page's players made, and how many failed. Stays on the page unless the gateway asks (playback-report.ts). */

export const requestCounts = { requests: 0, failed: 0 };
