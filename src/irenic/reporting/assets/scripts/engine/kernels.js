// @ts-check
// The kernels of irenic, which are C compiled to WebAssembly, and the memory that they compute in.

import { WASM_MODULE } from "./module.js";

const loadedKernels = loadKernels();

/** @returns {Kernels | null} */
function loadKernels() {
  try {
    const bytes = Uint8Array.from(atob(WASM_MODULE), (byte) => byte.charCodeAt(0));
    return /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports);
  } catch {
    return null; // the browser has no WebAssembly, or a policy forbids it
  }
}

/** Whether the browser can compute; if not, the page shows CANNOT_COMPUTE instead of answers. */
export const canCompute = loadedKernels !== null;

export const CANNOT_COMPUTE = "This cannot be computed here, because this browser has no WebAssembly.";

/**
 * Call kernels, and drop what they were given and what they allocated. Results must be copied.
 * @template T
 * @param {(kernels: Kernels) => T} compute
 * @returns {T}
 */
export function withKernels(compute) {
  if (loadedKernels === null) throw new Error(CANNOT_COMPUTE);
  const before = loadedKernels.top();
  try {
    return compute(loadedKernels);
  } finally {
    loadedKernels.drop(before);
  }
}

/**
 * Allocate memory of the kernels, and return its address.
 * @param {number} size
 */
export function allocate(size) {
  const address = loadedKernels?.malloc(size) ?? 0;
  if (address === 0) throw new Error("There is not enough memory to compute this.");
  return address >>> 0;
}

/**
 * Copy an array to the memory of the kernels, and return its address.
 * @param {ArrayBufferView} array
 */
export function putArray(array) {
  const address = allocate(array.byteLength);
  memoryAt(Uint8Array, address, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return address;
}

/**
 * Copy a struct of c/irenic.h, and return its address. Each number and each pointer takes 8 bytes, because pointers
 * are followed by 64-bit numbers. An array is given with its rows and columns.
 * @param {...(number | [array: ArrayBufferView, rows: number, columns: number])} fields
 */
export function putStruct(...fields) {
  const cells = fields.flatMap((field) =>
    typeof field === "number" ? [field] : [putArray(field[0]), field[1], field[2]],
  );
  return putArray(BigInt64Array.from(cells, BigInt));
}

/**
 * A part of the memory as an array, valid until something is allocated.
 * @template A
 * @param {new (buffer: ArrayBuffer, offset: number, length: number) => A} type
 * @param {number} address
 * @param {number} length
 */
export function memoryAt(type, address, length) {
  if (loadedKernels === null) throw new Error(CANNOT_COMPUTE);
  return new type(loadedKernels.memory.buffer, address, length);
}

/**
 * The result of a kernel that allocates memory.
 * @param {bigint} result
 */
export function checkedResult(result) {
  if (result === -2n) throw new Error("There is not enough memory to compute this.");
  return Number(result);
}
