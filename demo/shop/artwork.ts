// The shop's pictures as inline SVG, which the content security policy allows. All are decoration, so they are hidden
// from assistive technology.
import { raw } from 'hono/html';
import type { Artwork } from './catalog.ts';

/** A coffee bag; `scene` is drawn inside the label, 88 × 96 at (76, 92). */
function bag(id: string, paper: string, fold: string, scene: string): string {
  return `
    <ellipse cx="120" cy="222" rx="64" ry="7" fill="#000" opacity=".13"/>
    <path d="M66 56h108l6 16v136q0 12-12 12H72q-12 0-12-12V72z" fill="${paper}"/>
    <path d="M60 72h14l-6 148q-8-2-8-12zM180 72h-10l4 147q6-3 6-11z" fill="#000" opacity=".07"/>
    <path d="M70 30h100l4 26H66z" fill="${fold}"/>
    <path d="M66 56h108l3 8H63z" fill="#000" opacity=".14"/>
    <rect x="58" y="40" width="124" height="6" rx="3" fill="#000" opacity=".22"/>
    <clipPath id="${id}"><rect x="76" y="92" width="88" height="96" rx="44"/></clipPath>
    <g clip-path="url(#${id})">${scene}</g>
    <path d="M96 200h48M106 207h28" stroke="#fff" stroke-opacity=".6" stroke-width="2.5" stroke-linecap="round"/>`;
}

const PICTURES: Record<Artwork, string> = {
  dawn: bag(
    'label-dawn',
    '#d9694a',
    '#c25a3e',
    `<path d="M76 92h88v96H76z" fill="#ffdcae"/>
     <circle cx="120" cy="140" r="24" fill="#f8f3e4"/>
     <path d="M76 150q24-18 46-4t42-8v50H76z" fill="#ee9a6b"/>
     <path d="M76 164q20-10 40 0t48-6v30H76z" fill="#9c3f3a"/>
     <path d="M98 114q5-5 8 0q3-5 8 0M128 106q4-4 6 0q3-4 6 0" fill="none" stroke="#9c3f3a" stroke-width="2" stroke-linecap="round"/>`,
  ),
  ridge: bag(
    'label-ridge',
    '#3f6b57',
    '#355b4a',
    `<path d="M76 92h88v96H76z" fill="#dfe9d5"/>
     <circle cx="142" cy="118" r="10" fill="#f2b84b"/>
     <path d="m76 160 26-38 18 22 14-18 30 40v22H76z" fill="#8db596"/>
     <path d="m102 122-9 13 7 5 6-4 6 6 4-3z" fill="#f8f3e4"/>
     <path d="m76 172 22-18 22 16 20-20 24 22v16H76z" fill="#274a3c"/>`,
  ),
  harbor: bag(
    'label-harbor',
    '#2f4663',
    '#263a54',
    `<path d="M76 92h88v96H76z" fill="#16263d"/>
     <path d="M128 106a17 17 0 1 0 14 27a14 14 0 0 1-14-27z" fill="#f4e3b5"/>
     <path d="M96 112h.1M108 132h.1M152 108h.1M90 138h.1" stroke="#f4e3b5" stroke-width="3" stroke-linecap="round"/>
     <path d="M76 152h88v36H76z" fill="#3b6285"/>
     <path d="M104 160h36M112 168h24M92 176h44" stroke="#f4e3b5" stroke-opacity=".7" stroke-width="2.5" stroke-linecap="round"/>`,
  ),
  dripper: `
    <ellipse cx="120" cy="222" rx="70" ry="7" fill="#000" opacity=".13"/>
    <path d="M74 132h92l12 74q2 14-14 14H76q-16 0-14-14z" fill="#cfe0e0" opacity=".8"/>
    <path d="M68 176h104l6 34q0 10-14 10H76q-14 0-14-10z" fill="#5b3423"/>
    <path d="M68 176h104l1 6H67z" fill="#7d4c34"/>
    <path d="M74 132h92l1 8H73z" fill="#fff" opacity=".5"/>
    <rect x="66" y="118" width="108" height="12" rx="6" fill="#a9a08f"/>
    <path d="M66 44h108l-30 74H96z" fill="#e4dccb"/>
    <path d="M148 44h26l-30 74h-16z" fill="#c9bfaa"/>
    <path d="M172 56q30-4 28 18t-40 20" fill="none" stroke="#c9bfaa" stroke-width="9" stroke-linecap="round"/>
    <path d="M60 38h120v8q0 4-4 4H64q-4 0-4-4z" fill="#f2ecdf"/>
    <path d="M90 66l14 42M112 66l5 42" stroke="#c9bfaa" stroke-width="3" stroke-linecap="round"/>
    <path d="M120 134v14M120 156v8" stroke="#5b3423" stroke-width="4" stroke-linecap="round"/>
    <path d="M100 24q-6-8 0-14M122 24q-6-8 0-14M144 24q-6-8 0-14" fill="none" stroke="light-dark(#b9b1a2, #6d7475)" stroke-width="4" stroke-linecap="round"/>`,
};

const BACKGROUNDS: Record<Artwork, string> = {
  dawn: 'light-dark(#f9e2d3, #3a2720)',
  ridge: 'light-dark(#e0e9db, #1f2f29)',
  harbor: 'light-dark(#dce5ec, #1d2836)',
  dripper: 'light-dark(#ebe6dc, #2c2a26)',
};

/** The background fills the SVG at any aspect ratio. */
export function picture(artwork: Artwork) {
  return raw(`<svg class="picture" viewBox="-20 -20 280 280" aria-hidden="true">
    <path d="M-999-999h2999v2999h-2999z" fill="${BACKGROUNDS[artwork]}"/>${PICTURES[artwork]}</svg>`);
}

/** A sun over the water in light mode, a moon in dark mode. */
export const shore = raw(`
  <svg viewBox="0 0 1120 440" preserveAspectRatio="xMaxYMax slice" aria-hidden="true">
    <linearGradient id="sky" x2="0" y2="1">
      <stop offset=".3" stop-color="light-dark(#fbe3cf, #17222d)"/>
      <stop offset=".76" stop-color="light-dark(#f6c6a4, #223542)"/>
    </linearGradient>
    <path d="M0 0h1120v440H0z" fill="url(#sky)"/>
    <circle cx="950" cy="288" r="78" fill="light-dark(#ee9168, #f3e3bb)"/>
    <path d="M0 318q110-34 230-14t210-12 200 10 170-24 150 6 160-28v80H0z" fill="light-dark(#8fb0ab, #2a4450)"/>
    <path d="M0 332q140-26 300-10t260-2 240-4 180-10 140-2v32H0z" fill="light-dark(#4d7f80, #1d333c)"/>
    <path d="M0 334h1120v106H0z" fill="light-dark(#2b626a, #132730)"/>
    <g stroke="light-dark(#ee9168, #f3e3bb)" stroke-width="6" stroke-linecap="round" opacity=".75">
      <path d="M890 350h122M918 367h90M876 385h128M924 403h104M900 421h70"/>
    </g>
    <g stroke="light-dark(#f8cfb2, #1f2f3c)" stroke-width="4" stroke-linecap="round" opacity=".4">
      <path d="M60 362h110M250 386h76M100 414h150M430 372h96M560 404h120M690 360h70M1064 376h40M740 424h60"/>
    </g>
    <path d="M846 378h60l-9 13h-42z" fill="light-dark(#18393f, #08131a)"/>
    <path d="M876 334v43M876 336q20 14 23 38h-23zM872 344v30h-17q6-20 17-30z" fill="light-dark(#fdf6ea, #b9c3c2)" stroke="light-dark(#18393f, #08131a)" stroke-width="2"/>
  </svg>`);

/** The coffee card, with space for the balance. */
export const card = raw(`
  <svg viewBox="0 0 340 200" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
    <path d="M0 0h340v200H0z" fill="#1f4f57"/>
    <circle cx="262" cy="84" r="42" fill="#f2b084"/>
    <path d="M0 108q50-28 100-10t90-2 80 6 70-10v40H0z" fill="#2f6a70"/>
    <path d="M0 124h340v76H0z" fill="#163c44"/>
    <path d="M228 138h66M240 152h46M218 166h60M246 180h44" stroke="#f2b084" stroke-width="4" stroke-linecap="round" opacity=".75"/>
  </svg>`);

export const logo = raw(`
  <svg viewBox="0 0 40 40" width="34" height="34" aria-hidden="true">
    <circle cx="20" cy="20" r="19" fill="var(--ink)"/>
    <circle cx="20" cy="17" r="7" fill="var(--accent)"/>
    <path d="M7 24h26M11 29h18M16 34h8" stroke="var(--paper)" stroke-width="2.4" stroke-linecap="round"/>
  </svg>`);
