// A part of undici that is loaded by itself, which it gives no types for.
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export = Pool;
}
