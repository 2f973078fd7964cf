// Tries numbers until the key derived from one of them begins as the challenge asks, and answers with the proof.

const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

async function derived(parameters, password) {
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const rule = { name: "PBKDF2", hash: "SHA-256", salt: bytes(parameters.salt), iterations: parameters.cost };
  return hex(await crypto.subtle.deriveBits(rule, key, parameters.keyLength * 8));
}

async function solved(challenge) {
  const { parameters } = challenge;
  const nonce = bytes(parameters.nonce);
  const password = new Uint8Array(nonce.length + 4);
  password.set(nonce);
  const number = new DataView(password.buffer, nonce.length);
  for (let counter = 0; counter < 2 ** 32; counter += 1) {
    number.setUint32(0, counter);
    const derivedKey = await derived(parameters, password);
    if (derivedKey.startsWith(parameters.keyPrefix)) return { challenge, solution: { counter, derivedKey } };
  }
  throw new Error("no number solves the challenge");
}

addEventListener("message", async ({ data }) => {
  try {
    const response = await fetch(data, { cache: "no-store" });
    if (!response.ok) throw new Error(`status ${response.status}`);
    postMessage({ proof: btoa(JSON.stringify(await solved(await response.json()))) });
  } catch (error) {
    postMessage({ problem: String(error) });
  }
});
