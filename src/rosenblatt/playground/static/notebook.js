// In a notebook the page stands in a frame, and Python has its address: what is set there is shown, what is chosen here is told.

export class Notebook {
  // `open(address)` is called with what Python has set.
  constructor(open) {
    this.there = "notebook" in document.documentElement.dataset && window.parent !== window;
    if (!this.there) return;
    window.addEventListener("message", ({ source, data }) => {
      if (source === window.parent && data.rosenblatt === "open") open(data.address);
    });
    window.parent.postMessage({ rosenblatt: "ready" }, "*");
  }

  tell(address) {
    if (this.there) window.parent.postMessage({ rosenblatt: "changed", address }, "*");
  }
}
