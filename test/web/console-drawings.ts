/**
 * What the cameras of the console's pictures show: drawn, so that it belongs to no one. Each camera has a place of its own, the same on
 * every page; `isEvent`: with what an alert there is about.
 */

import sharp from 'sharp';

const WIDTH = 640;
const HEIGHT = 360;

/** In the order of the cameras, the first of which has no event in the pictures. */
const SCENES: Readonly<Record<string, (isEvent: boolean) => string>> = {
  'Dock 1': quay,
  'Dock 2': ship,
  'Gate north': gate,
  Yard: yard,
  'Loading bay': bay,
  'Entrance hall': hall,
};

export async function drawCameras(isEvent: boolean): Promise<ReadonlyMap<string, Buffer>> {
  const drawn = Object.entries(SCENES).map(
    async ([name, scene]) => [name, await draw(scene(isEvent))] as const,
  );
  return new Map(await Promise.all(drawn));
}

/** With the grain and the dark corners of a small lens. */
function draw(scene: string): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">
    <defs>
      <radialGradient id="lens" r=".75"><stop offset=".62" stop-opacity="0"/><stop offset="1" stop-opacity=".5"/></radialGradient>
      <filter id="grain"><feTurbulence type="fractalNoise" baseFrequency=".85" numOctaves="2" seed="7"/>
        <feColorMatrix values="0 0 0 0 .5 0 0 0 0 .5 0 0 0 0 .5 1.4 0 0 0 -.45"/></filter>
      <linearGradient id="sky" x2="0" y2="1"><stop stop-color="#8fb3d1"/><stop offset="1" stop-color="#e3e7e6"/></linearGradient>
      <linearGradient id="ground" x2="0" y2="1"><stop stop-color="#8b8f93"/><stop offset="1" stop-color="#5a5f66"/></linearGradient>
      <linearGradient id="water" x2="0" y2="1"><stop stop-color="#7f9aa6"/><stop offset="1" stop-color="#3f5b69"/></linearGradient>
      <linearGradient id="shade" x2="0" y2="1"><stop stop-color="#fff" stop-opacity=".14"/><stop offset="1" stop-opacity=".28"/></linearGradient>
    </defs>
    ${scene}
    <rect width="640" height="360" filter="url(#grain)" opacity=".22"/>
    <rect width="640" height="360" fill="url(#lens)"/></svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 84 }).toBuffer();
}

const CONTAINERS = ['#8c3f36', '#3f6a8c', '#5f7a4a', '#a0793c', '#6b5b86', '#4b5a66', '#9a5a3a', '#2f6f73'];

/** The long side of a container, with its ribs. */
function container(x: number, y: number, width: number, height: number, color: number): string {
  const ribs = Array.from(
    { length: Math.floor(width / 7) },
    (_, i) => `M${x + 4 + i * 7} ${y + 3}v${height - 6}`,
  );
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${CONTAINERS[color % CONTAINERS.length]}"/>
    <path d="${ribs.join('')}" stroke="#000" stroke-opacity=".18"/>
    <rect x="${x}" y="${y}" width="${width}" height="${height}" fill="url(#shade)" stroke="#0004"/>`;
}

function person(x: number, y: number, size: number, coat: string): string {
  return `<g transform="translate(${x} ${y}) scale(${size})"><ellipse cx="4" cy="1" rx="9" ry="2.500" fill="#0005"/>
    <path d="M-3 0l2-17h6l2 17h-3l-2-12-2 12z" fill="#2b3038"/><path d="M-4-34q6-4 12 0l1 18h-14z" fill="${coat}"/>
    <circle cx="2" cy="-39" r="4.500" fill="#b98d6c"/></g>`;
}

function car(x: number, y: number, size: number, paint: string): string {
  return `<g transform="translate(${x} ${y}) scale(${size})"><ellipse cx="46" cy="2" rx="52" ry="6" fill="#0006"/>
    <path d="M0-4v-18q2-6 12-7l12-17q2-3 7-3h34q5 0 9 4l14 16q10 1 12 8v17z" fill="${paint}"/>
    <path d="M29-29l9-14h15v14zm27 0v-14h9l13 14z" fill="#26313c"/><path d="M0-4v-18q2-6 12-7h76q10 1 12 8v17z" fill="url(#shade)"/>
    <circle cx="20" cy="-3" r="9" fill="#15181c"/><circle cx="80" cy="-3" r="9" fill="#15181c"/>
    <circle cx="20" cy="-3" r="4" fill="#8a9098"/><circle cx="80" cy="-3" r="4" fill="#8a9098"/></g>`;
}

/** Containers under a crane, at the water. */
function quay(isEvent: boolean): string {
  const stacks = Array.from({ length: 6 }, (_, i) =>
    Array.from({ length: 1 + ((i * 5) % 3) }, (_each, level) =>
      container(30 + i * 98, 196 - level * 34, 92, 34, i * 3 + level),
    ).join(''),
  );
  return `<rect width="640" height="240" fill="url(#sky)"/><path d="M0 150h640v60H0z" fill="url(#water)"/>
    <path d="M0 158q80-6 160 0t160 0 160 0 160 0" fill="none" stroke="#fff" stroke-opacity=".25"/>
    <path d="M92 230V36M150 230V36M70 40h420M92 96l58-56M150 96L92 40M92 160l58-60M150 160l-58-60" stroke="#b5502c" stroke-width="7" fill="none"/>
    <path d="M120 36l300 4M120 36V16h14z" stroke="#8b3d22" stroke-width="4" fill="none"/><path d="M352 44v74" stroke="#333" stroke-width="2"/>
    ${container(306, 116, 92, 34, 1)}${stacks.join('')}
    <path d="M0 228h640v132H0z" fill="url(#ground)"/><path d="M0 262h640M0 330h640" stroke="#d8b64a" stroke-width="4" stroke-dasharray="34 22" opacity=".8"/>
    ${isEvent ? person(408, 318, 1.5, '#d8742a') : ''}`;
}

/** The side of a ship that is being loaded. */
function ship(isEvent: boolean): string {
  const deck = Array.from({ length: 7 }, (_, i) =>
    Array.from({ length: 2 + (i % 2) }, (_each, level) =>
      container(150 + i * 66, 106 - level * 26, 62, 26, i + level * 3),
    ).join(''),
  );
  return `<rect width="640" height="200" fill="url(#sky)"/><path d="M0 178h640v80H0z" fill="url(#water)"/>
    ${deck.join('')}<path d="M40 132h600v86H96q-34-30-56-86z" fill="#7a2f2a"/><path d="M60 186h580v32H96q-20-16-36-32z" fill="#22333d"/>
    <path d="M56 60h70v72H44zM66 74h50v10H66zM66 92h50v10H66z" fill="#dfe3e5"/><path d="M66 74h50v10H66zM66 94h50v10H66z" fill="#3b4a57"/>
    <path d="M0 238l640-14v136H0z" fill="url(#ground)"/><path d="M0 250l640-14v8L0 258z" fill="#2f3338"/>
    <path d="M120 244v-12h22v12M420 238v-12h22v12" stroke="#222" stroke-width="9" fill="none"/>
    ${isEvent ? car(250, 322, 1.15, '#c9ccd1') : ''}<path d="M0 330l640-10" stroke="#e8e2c8" stroke-width="3" stroke-dasharray="40 26" opacity=".7"/>`;
}

/** A road with a barrier, a booth, and a fence. */
function gate(isEvent: boolean): string {
  const mesh = Array.from({ length: 22 }, (_, i) => `M${i * 30} 132v66`).join('');
  return `<rect width="640" height="200" fill="url(#sky)"/>
    <path d="M0 150q60-46 120-20t130-10 150 6 240-14v90H0z" fill="#5f7a58"/>
    <path d="M0 134h640M0 150h640M0 166h640M0 182h640${mesh}" stroke="#58636d" stroke-width="1.500" opacity=".8"/>
    <path d="M0 196h640v164H0z" fill="#7d8a6c"/><path d="M250 196h150l210 164H60z" fill="url(#ground)"/>
    <path d="M324 200l6 160" stroke="#e6e0c4" stroke-width="4" stroke-dasharray="18 14" opacity=".85"/>
    <path d="M438 118h92v110h-92z" fill="#d7d2c5"/><path d="M428 108h112v14H428z" fill="#4a525b"/><path d="M450 136h68v40h-68z" fill="#2d3b47"/><path d="M450 136l68 40h-68z" fill="#fff" opacity=".16"/>
    <path d="M424 236v-46" stroke="#d0a02c" stroke-width="12"/><path d="M424 196L206 206" stroke="#e9e9e4" stroke-width="9"/><path d="M400 197l-30 1.500M340 200l-30 1.500M280 202.500l-30 1.500" stroke="#b4261f" stroke-width="9"/>
    <path d="M204 240v-40" stroke="#50575f" stroke-width="6"/>
    ${isEvent ? person(268, 300, 1.7, '#27486e') : ''}`;
}

/** Rows of containers from above, with a lane between. */
function yard(isEvent: boolean): string {
  const left = Array.from({ length: 6 }, (_, i) =>
    container(10 + i * 16, 116 + i * 36, 176 - i * 6, 32, i * 2),
  );
  const right = Array.from({ length: 6 }, (_, i) => container(410 + i * 6, 112 + i * 37, 190, 33, i * 2 + 1));
  return `<rect width="640" height="130" fill="url(#sky)"/><path d="M0 92h640v30H0z" fill="#6d7680"/><path d="M40 60h180v40H40zM300 70h150v30H300zM500 52h120v48H500z" fill="#8f969c"/>
    <path d="M0 116h640v244H0z" fill="url(#ground)"/><path d="M270 116h90l70 244H200z" fill="#6a6f76"/>
    <path d="M316 120l0 240" stroke="#e8d27a" stroke-width="4" stroke-dasharray="20 16" opacity=".8"/>
    ${left.join('')}${right.join('')}<path d="M236 128V30M236 34h40" stroke="#4b525a" stroke-width="5" fill="none"/>
    ${isEvent ? car(280, 292, 0.9, '#8b2f2f') : ''}`;
}

/** Doors for trucks, one of which is open. */
function bay(isEvent: boolean): string {
  const doors = [40, 240, 440].map(
    (
      x,
      i,
    ) => `<rect x="${x}" y="96" width="160" height="150" fill="${i === 1 ? '#1d2329' : '#c3c7ca'}" stroke="#555d66" stroke-width="6"/>
      <path d="M${x} 126h160M${x} 156h160M${x} 186h160M${x} 216h160" stroke="#000" opacity="${i === 1 ? 0 : 0.16}" stroke-width="3"/>
      <rect x="${x - 8}" y="240" width="176" height="18" fill="#d0a32e"/>`,
  );
  return `<rect width="640" height="260" fill="#9ba3a8"/><path d="M0 0h640v70H0z" fill="#7c858c"/>${doors.join('')}
    <path d="M0 256h640v104H0z" fill="url(#ground)"/><path d="M220 256l-50 104M420 256l50 104" stroke="#e8d27a" stroke-width="4" opacity=".8"/>
    ${isEvent ? person(330, 330, 1.6, '#3d6b4a') : ''}`;
}

/** A counter, glass doors, and a floor that shines. */
function hall(isEvent: boolean): string {
  return `<rect width="640" height="360" fill="#cfcac0"/><path d="M0 0h640v60L420 96H220L0 60z" fill="#e9e6df"/>
    <path d="M220 96h200v124H220z" fill="#a9c4d0"/><path d="M320 96v124M270 96v124M370 96v124M220 130h200" stroke="#6b747b" stroke-width="4"/>
    <path d="M0 60l220 36v124L0 300z" fill="#bdb6a8"/><path d="M640 60L420 96v124l220 80z" fill="#b3ab9c"/>
    <path d="M0 300l220-80h200l220 80v60H0z" fill="#8d8a85"/><path d="M250 224l-70 136h40l60-136zM350 224l50 136h40l-60-136z" fill="#fff" opacity=".12"/>
    <path d="M452 208l150 44v62l-150-50z" fill="#6d4f36"/><path d="M446 200l160 46v10l-160-46z" fill="#94714f"/>
    ${isEvent ? person(300, 306, 1.5, '#7a3b4e') : ''}`;
}
