// Operates the page in a narrow window, where the list or the case is shown.

const isShown = (selector) => $(selector).checkVisibility();

seen.width = innerWidth;
seen.first = [isShown("#list"), isShown("#detail"), $("header").offsetHeight < 120, isShown("#chips")];
$("#more").click();
seen.more = isShown("#chips");
$("#more").click();
$(".row.case").click();
await pause();
await pause();
seen.tapped = [isShown("#list"), isShown("#detail"), shown()];
$(".back").click();
await pause();
seen.back = [isShown("#list"), isShown("#detail")];
seen.overflow = document.documentElement.scrollWidth - innerWidth;
