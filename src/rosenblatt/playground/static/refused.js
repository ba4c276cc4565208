// The question was understood, and cannot be answered; `about` names the part of the task that stands in the way, if one does.
export class Refused extends Error {
  constructor(message, about = "") {
    super(message);
    this.about = about;
  }
}
