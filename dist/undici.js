import { t as require_undici } from "./undici-index.js";

export default require_undici();

export {  };